// SPDX-License-Identifier: Apache-2.0
//
// The thread list finds the state that the interpreter has of a thread, from outside of that
// thread and without the GIL: the list may change while it is read.
#ifndef PROF_PYTHON_BRIDGE_THREAD_LIST_H_
#define PROF_PYTHON_BRIDGE_THREAD_LIST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "lib/capture/threads/host_stacks.h"
#include "python_bridge/python_layout.h"

namespace prof::python {

// Used by one thread. All reads go through the kernel.
class ThreadList {
 public:
  // `runtime`: the address of _PyRuntime.
  ThreadList(uintptr_t runtime, const PythonLayout& layout) : runtime_(runtime), layout_(layout) {}

  // The address of the thread's state; 0: Python does not know the thread; nullopt: the list
  // changed while it was read, or is none. Two reads for a thread that was found before, else one
  // for each thread of the interpreter.
  [[nodiscard]] std::optional<uintptr_t> Find(const capture::ThreadNumbers& thread);

 private:
  // What a thread state begins with.
  struct State {
    uintptr_t previous = 0, next = 0, interpreter = 0;
    uint64_t thread = 0;
  };
  static constexpr size_t kRemembered = 16;

  [[nodiscard]] bool Read(uintptr_t address, State* state) const;
  [[nodiscard]] bool IsListed(uintptr_t address, const State& state) const;
  [[nodiscard]] std::optional<uintptr_t> Search(uint64_t thread) const;
  [[nodiscard]] std::optional<uintptr_t> SearchIn(uintptr_t interpreter, uint64_t thread) const;

  const uintptr_t runtime_;
  const PythonLayout layout_;
  struct Known {
    uint64_t thread = 0;
    uintptr_t address = 0;
  };
  std::array<Known, kRemembered> known_{};
};

}  // namespace prof::python

#endif  // PROF_PYTHON_BRIDGE_THREAD_LIST_H_
