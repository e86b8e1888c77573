// SPDX-License-Identifier: Apache-2.0
//
// An unwind rule says where the caller's registers are, seen from one instruction of x86-64. It is
// what a walk needs of the call frame information (.eh_frame) of that instruction, in 8 bytes.
#ifndef PROF_NATIVE_BRIDGE_UNWIND_RULE_H_
#define PROF_NATIVE_BRIDGE_UNWIND_RULE_H_

#include <cstdint>
#include <optional>

namespace prof::native {

// The registers of a frame: where its code is, its stack pointer and rbp.
struct FrameRegisters {
  uintptr_t pc = 0, sp = 0, fp = 0;
};

struct UnwindRule {
  // The canonical frame address (CFA), which is the caller's stack pointer: a register plus
  // `cfa_offset`, or what the memory there has.
  enum class Cfa : uint8_t { kUnknown, kOutermost, kSp, kFp, kAtSp, kAtFp };
  // Where a register of the caller is: unchanged, or in memory.
  enum class Place : uint8_t { kSame, kAtCfa, kAtSp, kAtFp };

  Cfa cfa = Cfa::kUnknown;  // kUnknown: there is no rule that prof follows. kOutermost: no caller
  Place return_place = Place::kAtCfa, fp_place = Place::kSame;
  bool signal = false;  // the frame of a signal: the instruction is the one that it interrupted
  int32_t cfa_offset = 0;
  int16_t return_offset = -8, fp_offset = 0;
};

// The rule as one number, so that threads can share it without a lock. nullopt: it has no room.
[[nodiscard]] std::optional<uint64_t> PackRule(const UnwindRule& rule);
[[nodiscard]] UnwindRule UnpackRule(uint64_t bits);

// Reads the rule of the instruction at `pc` from the program's call frame information. For any
// address; takes microseconds. It may take the loader's lock for its list of libraries, which is
// not held while their constructors run (glibc before 2.35), and never the one that is.
[[nodiscard]] UnwindRule ReadUnwindRule(uintptr_t pc);

}  // namespace prof::native

#endif  // PROF_NATIVE_BRIDGE_UNWIND_RULE_H_
