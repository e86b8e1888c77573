// SPDX-License-Identifier: Apache-2.0
//
// The Python layout has the places of all that a stack walk reads in the memory of a CPython
// interpreter. 3.13 and 3.14 publish most of them (published_layout.h); for 3.10 to 3.12 they are
// those of CPython's headers, which are part of the ABI of a minor version.
#ifndef PROF_PYTHON_BRIDGE_PYTHON_LAYOUT_H_
#define PROF_PYTHON_BRIDGE_PYTHON_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "python_bridge/line_table.h"

namespace prof::python {

constexpr uint32_t kNoOffset = UINT32_MAX;

// Offsets in bytes.
struct PythonLayout {
  int minor = 0;  // of 3.x

  // From the thread state to the innermost frame: by a pointer at `state_to_frame`, and by a second
  // one at `cframe_to_frame` where there is one.
  uint32_t state_to_frame = 0, cframe_to_frame = kNoOffset;

  // A frame. `instruction`: a pointer into the code, or (3.10) an int that counts units of 2 bytes.
  uint32_t frame_code = 0, frame_previous = 0, frame_instruction = 0;
  uintptr_t code_flags = 0;  // bits of the pointer to the code that are no part of the address
  bool counts_units = false;
  // Who owns the frame, a byte; frames of `first_shim` and above are the interpreter's own.
  uint32_t frame_owner = kNoOffset;
  uint8_t first_shim = 3;

  // A code object. `code_version`: a number that no other code object has or had; kNoOffset: there
  // is none.
  uint32_t code_name = 0, code_file = 0, code_first_line = 0, code_lines = 0;
  uint32_t code_instructions = kNoOffset;
  uint32_t code_version = kNoOffset;
  LineFormat lines = LineFormat::kPython311;

  // str and bytes.
  uint32_t ascii_size = 0, compact_size = 0;

  // From _PyRuntime to the newest interpreter, to the next one, to its newest thread state. Thread
  // states are a list, whose links and interpreter are at kState*.
  uint32_t runtime_interpreters = 0, interpreter_next = 0, interpreter_threads = 0;
  // Which thread a state is of: gettid(), or (3.10) pthread_self().
  uint32_t state_thread = 0;
  bool has_tid = true;

  constexpr bool operator==(const PythonLayout& other) const {
    return minor == other.minor && state_to_frame == other.state_to_frame &&
           cframe_to_frame == other.cframe_to_frame && frame_code == other.frame_code &&
           frame_previous == other.frame_previous && code_flags == other.code_flags &&
           counts_units == other.counts_units && frame_instruction == other.frame_instruction &&
           frame_owner == other.frame_owner && first_shim == other.first_shim &&
           code_name == other.code_name && code_file == other.code_file &&
           code_first_line == other.code_first_line && code_lines == other.code_lines &&
           code_instructions == other.code_instructions && code_version == other.code_version &&
           lines == other.lines && ascii_size == other.ascii_size &&
           compact_size == other.compact_size &&
           runtime_interpreters == other.runtime_interpreters &&
           interpreter_next == other.interpreter_next &&
           interpreter_threads == other.interpreter_threads && state_thread == other.state_thread &&
           has_tid == other.has_tid;
  }
};

// What is the same in all versions of CPython with the GIL.
constexpr uint32_t kObjectType = 8;
constexpr uint32_t kTextLength = 16, kTextHash = 24, kTextState = 32;
constexpr uint32_t kBytesSize = 16, kBytesData = 32;
constexpr uint32_t kStatePrevious = 0, kStateNext = 8, kStateInterpreter = 16;
// All that a walk reads of a thread state, a frame or a code object is in its first bytes.
constexpr uint32_t kMostPiece = 256;

// Include/cpython/frameobject.h, code.h and pystate.h, Include/internal/pycore_runtime.h and
// pycore_interp.h, and pycore_frame.h from 3.11 on.
constexpr PythonLayout Layout310() {
  PythonLayout layout;
  layout.minor = 10;
  layout.state_to_frame = 24;
  layout.frame_previous = 24;
  layout.frame_code = 32;
  layout.frame_instruction = 96;
  layout.counts_units = true;
  layout.code_first_line = 40;
  layout.code_file = 104;
  layout.code_name = 112;
  layout.code_lines = 120;
  layout.lines = LineFormat::kPython310;
  layout.ascii_size = 48;
  layout.compact_size = 72;
  layout.runtime_interpreters = 32;
  layout.interpreter_threads = 8;
  layout.state_thread = 176;
  layout.has_tid = false;
  return layout;
}

constexpr PythonLayout Layout311() {
  PythonLayout layout;
  layout.minor = 11;
  layout.state_to_frame = 56;
  layout.cframe_to_frame = 8;
  layout.frame_code = 32;
  layout.frame_previous = 48;
  layout.frame_instruction = 56;
  layout.code_first_line = 72;
  layout.code_file = 112;
  layout.code_name = 128;  // co_qualname
  layout.code_lines = 136;
  layout.code_instructions = 184;
  layout.ascii_size = 48;
  layout.compact_size = 72;
  layout.runtime_interpreters = 40;
  layout.interpreter_threads = 16;
  layout.state_thread = 160;
  return layout;
}

constexpr PythonLayout Layout312() {
  PythonLayout layout;
  layout.minor = 12;
  layout.state_to_frame = 56;
  layout.cframe_to_frame = 0;
  layout.frame_code = 0;
  layout.frame_previous = 8;
  layout.frame_instruction = 56;
  layout.frame_owner = 70;
  layout.code_first_line = 68;
  layout.code_version = 92;
  layout.code_file = 112;
  layout.code_name = 128;
  layout.code_lines = 136;
  layout.code_instructions = 192;
  layout.ascii_size = 40;
  layout.compact_size = 56;
  layout.runtime_interpreters = 40;
  layout.interpreter_threads = 72;
  layout.state_thread = 144;
  return layout;
}

// What the table of offsets of 3.13.0 has.
constexpr PythonLayout Layout313() {
  PythonLayout layout = Layout312();
  layout.minor = 13;
  layout.state_to_frame = 72;
  layout.cframe_to_frame = kNoOffset;
  layout.code_instructions = 200;
  layout.runtime_interpreters = 632;
  layout.interpreter_next = 7264;
  layout.interpreter_threads = 7344;
  layout.state_thread = 160;
  return layout;
}

// What the table of offsets of 3.14.10 has.
constexpr PythonLayout Layout314() {
  PythonLayout layout = Layout313();
  layout.minor = 14;
  layout.code_flags = 3;
  layout.frame_owner = 74;
  layout.code_instructions = 208;
  layout.runtime_interpreters = 808;
  layout.interpreter_next = 7272;
  return layout;
}

// The interpreter of this process, as the dynamic loader knows it. Addresses are 0 where it is not
// there.
struct PythonSymbols {
  uintptr_t this_thread_state = 0;  // PyGILState_GetThisThreadState
  uintptr_t code_type = 0, text_type = 0, bytes_type = 0;
  uintptr_t runtime = 0;  // _PyRuntime
  int major = 0, minor = 0;

  [[nodiscard]] bool any() const { return this_thread_state != 0; }
};
// Looks the symbols up; takes the loader's lock for microseconds.
[[nodiscard]] PythonSymbols FindPython();

// Fills `layout`. The answer is why prof cannot read this interpreter; empty: it can.
[[nodiscard]] std::string LayoutOf(const PythonSymbols& python, PythonLayout* layout);

}  // namespace prof::python

#endif  // PROF_PYTHON_BRIDGE_PYTHON_LAYOUT_H_
