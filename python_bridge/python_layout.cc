// SPDX-License-Identifier: Apache-2.0
#include "python_bridge/python_layout.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "python_bridge/own_memory.h"

namespace prof::python {
namespace {

uintptr_t Address(const char* symbol) {
  return reinterpret_cast<uintptr_t>(dlsym(RTLD_DEFAULT, symbol));
}

// The beginning of _PyRuntime in 3.13 (Include/internal/pycore_runtime.h): words of 8 bytes.
enum : size_t {
  kCookie = 0,
  kVersion = 1,
  kFreeThreaded = 2,
  kInterpreters = 5,
  kInterpreterNext = 8,
  kInterpreterThreads = 9,
  kStatePreviousWord = 20,
  kStateNextWord = 21,
  kStateInterpreterWord = 22,
  kStateFrame = 23,
  kStateNativeThread = 25,
  kFramePrevious = 29,
  kFrameExecutable = 30,
  kFrameInstruction = 31,
  kFrameOwner = 33,
  kCodeFile = 35,
  kCodeQualname = 37,
  kCodeLines = 38,
  kCodeFirstLine = 39,
  kCodeInstructions = 43,
  kAsciiSize = 70,
  kWords = 71
};

constexpr uint64_t kMostInterpreter = 1 << 20;
constexpr char kOtherContents[] = "its table of offsets has other contents than that of 3.13";

std::string PublishedLayout(const PythonSymbols& python, PythonLayout* layout) {
  uint64_t words[kWords];
  if (python.runtime == 0 || !ReadOwnMemory(python.runtime, words, sizeof(words)) ||
      std::memcmp(&words[kCookie], "xdebugpy", sizeof(words[kCookie])) != 0 ||
      words[kVersion] >> 16 != 0x030d) {
    return "it does not have the table of offsets of CPython 3.13";
  }
  if (words[kFreeThreaded] != 0) return "it runs without the GIL (free-threaded)";
  for (const size_t word : {kStateFrame, kFramePrevious, kFrameExecutable, kFrameInstruction,
                            kFrameOwner, kCodeFile, kCodeQualname, kCodeLines, kCodeFirstLine,
                            kCodeInstructions, kAsciiSize, kStateNativeThread}) {
    if (words[word] > kMostPiece - sizeof(uint64_t)) return kOtherContents;
  }
  // Within the interpreter, which takes 195 KiB.
  for (const size_t word : {kInterpreters, kInterpreterNext, kInterpreterThreads}) {
    if (words[word] > kMostInterpreter) return kOtherContents;
  }
  if (words[kStatePreviousWord] != kStatePrevious || words[kStateNextWord] != kStateNext ||
      words[kStateInterpreterWord] != kStateInterpreter) {
    return kOtherContents;
  }
  const auto at = [&](size_t word) { return static_cast<uint32_t>(words[word]); };
  layout->minor = 13;
  layout->state_to_frame = at(kStateFrame);
  layout->frame_code = at(kFrameExecutable);
  layout->frame_previous = at(kFramePrevious);
  layout->frame_instruction = at(kFrameInstruction);
  layout->frame_owner = at(kFrameOwner);
  layout->code_first_line = at(kCodeFirstLine);
  layout->code_version = 92;  // Include/cpython/code.h; the table does not have it
  layout->code_file = at(kCodeFile);
  layout->code_name = at(kCodeQualname);
  layout->code_lines = at(kCodeLines);
  layout->code_instructions = at(kCodeInstructions);
  layout->ascii_size = at(kAsciiSize);
  layout->compact_size = layout->ascii_size + 16;
  layout->runtime_interpreters = at(kInterpreters);
  layout->interpreter_next = at(kInterpreterNext);
  layout->interpreter_threads = at(kInterpreterThreads);
  layout->state_thread = at(kStateNativeThread);
  return {};
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
    if (ReadOwn(version, &number)) {
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
  if (python.major == 3 && python.minor == 13) return PublishedLayout(python, layout);
  if (layout->minor != 0) return {};
  return "prof reads CPython 3.10 to 3.13, and this is " + std::to_string(python.major) + "." +
         std::to_string(python.minor);
}

}  // namespace prof::python
