// SPDX-License-Identifier: Apache-2.0
//
// The functions of CPython that the hooks of prof's Python files use. The files hand them over: the
// library links none of Python.
#ifndef PROF_TORCH_BRIDGE_PYTHON_FUNCTIONS_H_
#define PROF_TORCH_BRIDGE_PYTHON_FUNCTIONS_H_

#include <atomic>

namespace prof::torch {

// Python's PyObject. Only its address is used.
using Object = void;

// Of one hook. Written before Python gets the hook's functions, then read by the program's threads.
class PythonFunctions {
 public:
  void Set(void* bytes_as_string, void* inc_ref) {
    inc_ref_.store(reinterpret_cast<void (*)(Object*)>(inc_ref));
    bytes_as_string_.store(reinterpret_cast<const char* (*)(Object*)>(bytes_as_string));
  }
  [[nodiscard]] bool known() const { return bytes_as_string_.load() != nullptr; }

  // nullptr: it is no object of type bytes, and Python has the exception.
  [[nodiscard]] const char* Bytes(Object* object) const {
    return bytes_as_string_.load(std::memory_order_relaxed)(object);
  }
  // As a function returns what it was given.
  [[nodiscard]] Object* Return(Object* object) const {
    inc_ref_.load(std::memory_order_relaxed)(object);
    return object;
  }

 private:
  std::atomic<const char* (*)(Object*)> bytes_as_string_{nullptr};
  std::atomic<void (*)(Object*)> inc_ref_{nullptr};
};

}  // namespace prof::torch

#endif  // PROF_TORCH_BRIDGE_PYTHON_FUNCTIONS_H_
