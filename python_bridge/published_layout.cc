// SPDX-License-Identifier: Apache-2.0
#include "python_bridge/published_layout.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lib/capture/process/own_memory.h"

namespace prof::python {
namespace {

// Where the table has what, in words of 8 bytes. The cookie, the version and whether the
// interpreter is free-threaded are its first three words.
struct Words {
  size_t interpreters, interpreter_next, interpreter_threads;
  size_t state_previous, state_next, state_interpreter, state_frame, state_native_thread;
  size_t frame_previous, frame_executable, frame_instruction, frame_owner;
  size_t code_file, code_qualname, code_lines, code_first_line, code_instructions;
  size_t ascii_size;
};
// Include/internal/pycore_runtime.h of 3.13, pycore_debug_offsets.h of 3.14.
constexpr Words kWords313 = {5, 8, 9, 20, 21, 22, 23, 25, 29, 30, 31, 33, 35, 37, 38, 39, 43, 70};
constexpr Words kWords314 = {5, 8, 9, 23, 24, 25, 26, 28, 32, 33, 34, 36, 40, 42, 43, 44, 48, 80};
constexpr size_t kWords = 81;

// In both versions the table does not have them: the number of a code object (Include/cpython/
// code.h), and the size of a compact str behind that of an ASCII one.
constexpr uint32_t kCodeVersion = 92, kCompactMore = 16;
// 3.14: the reference of a frame to its code has flags in its two lowest bits (pycore_stackref.h).
constexpr uintptr_t kReferenceFlags314 = 3;

constexpr uint64_t kMostInterpreter = 1 << 20;

}  // namespace

std::string PublishedLayout(const PythonSymbols& python, PythonLayout* layout) {
  const Words& word = python.minor == kFirstPublished ? kWords313 : kWords314;
  const std::string version = "3." + std::to_string(python.minor);
  uint64_t words[kWords];
  if (python.runtime == 0 || !capture::ReadOwnMemory(python.runtime, words, sizeof(words)) ||
      std::memcmp(words, "xdebugpy", sizeof(words[0])) != 0 ||
      words[1] >> 16 != (0x0300U | static_cast<uint64_t>(python.minor))) {
    return "it does not have the table of offsets of CPython " + version;
  }
  if (words[2] != 0) return "it runs without the GIL (free-threaded)";
  std::string other = "its table of offsets has other contents than that of " + version;
  for (const size_t at :
       {word.state_frame, word.frame_previous, word.frame_executable, word.frame_instruction,
        word.frame_owner, word.code_file, word.code_qualname, word.code_lines, word.code_first_line,
        word.code_instructions, word.ascii_size, word.state_native_thread}) {
    if (words[at] > kMostPiece - sizeof(uint64_t)) return other;
  }
  // Within the interpreter, which takes 195 KiB in 3.13.
  for (const size_t at : {word.interpreters, word.interpreter_next, word.interpreter_threads}) {
    if (words[at] > kMostInterpreter) return other;
  }
  if (words[word.state_previous] != kStatePrevious || words[word.state_next] != kStateNext ||
      words[word.state_interpreter] != kStateInterpreter) {
    return other;
  }
  const auto value = [&](size_t at) { return static_cast<uint32_t>(words[at]); };
  layout->minor = python.minor;
  layout->state_to_frame = value(word.state_frame);
  layout->frame_code = value(word.frame_executable);
  layout->frame_previous = value(word.frame_previous);
  layout->frame_instruction = value(word.frame_instruction);
  layout->frame_owner = value(word.frame_owner);
  layout->code_first_line = value(word.code_first_line);
  layout->code_version = kCodeVersion;
  layout->code_file = value(word.code_file);
  layout->code_name = value(word.code_qualname);
  layout->code_lines = value(word.code_lines);
  layout->code_instructions = value(word.code_instructions);
  layout->ascii_size = value(word.ascii_size);
  layout->compact_size = layout->ascii_size + kCompactMore;
  layout->runtime_interpreters = value(word.interpreters);
  layout->interpreter_next = value(word.interpreter_next);
  layout->interpreter_threads = value(word.interpreter_threads);
  layout->state_thread = value(word.state_native_thread);
  if (python.minor >= 14) layout->code_flags = kReferenceFlags314;
  return {};
}

}  // namespace prof::python
