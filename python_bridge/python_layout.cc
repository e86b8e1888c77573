// SPDX-License-Identifier: Apache-2.0
#include "python_bridge/python_layout.h"

#include <dlfcn.h>

#include <cstdlib>

#include "lib/capture/process/own_memory.h"
#include "python_bridge/published_layout.h"

namespace prof::python {
namespace {

uintptr_t Address(const char* symbol) {
  return reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, symbol));
}

}  // namespace

PythonSymbols FindPython() {
  PythonSymbols python;
  python.this_thread_state = Address("PyGILState_GetThisThreadState");
  if (!python.any()) return python;
  python.code_type = Address("PyCode_Type");
  python.text_type = Address("PyUnicode_Type");
  python.bytes_type = Address("PyBytes_Type");
  python.runtime = Address("_PyRuntime");
  // It returns a constant text that begins with "3.11.2", and needs no initialized interpreter:
  // Py_GetVersion formats into a buffer of its own, so only the number of 3.11 and later is read.
  if (const uintptr_t version = Address("Py_Version"); version != 0) {
    unsigned long number = 0;
    if (capture::ReadOwn(version, &number)) {
      python.major = static_cast<int>(number >> 24);
      python.minor = static_cast<int>(number >> 16 & 0xff);
    }
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the address of a symbol
  } else if (const auto get = reinterpret_cast<const char* (*)()>(Address("Py_GetVersion"))) {
    char* end = nullptr;
    const char* const text = get();
    python.major = static_cast<int>(std::strtol(text, &end, 10));
    if (*end == '.') python.minor = static_cast<int>(std::strtol(end + 1, nullptr, 10));
  }
  return python;
}

std::string LayoutOf(const PythonSymbols& python, PythonLayout* layout) {
  if (python.code_type == 0 || python.text_type == 0 || python.bytes_type == 0) {
    return "it does not export its types";
  }
#if !defined(__LP64__)
  return "prof knows the layout of 64-bit interpreters only";
#endif
  if (python.major == 3 && python.minor == 10) *layout = Layout310();
  if (python.major == 3 && python.minor == 11) *layout = Layout311();
  if (python.major == 3 && python.minor == 12) *layout = Layout312();
  if (layout->minor != 0) return {};
  if (python.major == 3 && python.minor >= kFirstPublished && python.minor <= kLastPublished) {
    return PublishedLayout(python, layout);
  }
  return "prof reads CPython 3.10 to 3.14, and this is " + std::to_string(python.major) + "." +
         std::to_string(python.minor);
}

}  // namespace prof::python
