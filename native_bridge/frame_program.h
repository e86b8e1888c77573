// SPDX-License-Identifier: Apache-2.0
//
// A frame program is the call frame information of a function: DWARF's instructions (DWARF 5,
// section 6.4), as .eh_frame has them (Linux Standard Base), which tell for each instruction where
// the caller's registers are.
#ifndef PROF_NATIVE_BRIDGE_FRAME_PROGRAM_H_
#define PROF_NATIVE_BRIDGE_FRAME_PROGRAM_H_

#include <cstddef>
#include <cstdint>

#include "native_bridge/unwind_rule.h"

namespace prof::native {

struct FrameProgram {
  uintptr_t function = 0;                 // where the function begins
  uint64_t code_alignment = 1;            // of advances
  int64_t data_alignment = 1;             // of offsets
  uint64_t return_register = 0;           // DWARF's number
  bool signal = false;                    // a frame that the kernel makes for a signal
  const uint8_t* initial = nullptr;       // instructions for the beginning of the function
  const uint8_t* initial_end = nullptr;   //
  const uint8_t* instructions = nullptr;  // and those that follow
  const uint8_t* instructions_end = nullptr;
};

// The program of the function at `pc`, found by the C++ runtime. False: there is none, or it has a
// form that prof does not read.
[[nodiscard]] bool FindFrameProgram(uintptr_t pc, FrameProgram* program);

// From a frame description entry, as .eh_frame has it.
[[nodiscard]] bool ParseFrameEntry(const uint8_t* entry, FrameProgram* program);

// The rule at `pc`. Any bytes may come: it never reads outside of the program, and where an
// instruction is none that prof follows the rule is unknown.
[[nodiscard]] UnwindRule RunFrameProgram(const FrameProgram& program, uintptr_t pc);

}  // namespace prof::native

#endif  // PROF_NATIVE_BRIDGE_FRAME_PROGRAM_H_
