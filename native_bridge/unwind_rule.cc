// SPDX-License-Identifier: Apache-2.0
#include "native_bridge/unwind_rule.h"

#include "native_bridge/frame_program.h"

namespace prof::native {
namespace {

// Bits from the lowest one: kinds, then offsets.
constexpr int kReturnShift = 3, kFpShift = 5, kSignalShift = 7, kCfaOffsetShift = 8,
              kReturnOffsetShift = 32, kFpOffsetShift = 48;
constexpr int32_t kMostCfaOffset = (1 << 23) - 1;

}  // namespace

std::optional<uint64_t> PackRule(const UnwindRule& rule) {
  if (rule.cfa_offset > kMostCfaOffset || rule.cfa_offset < -kMostCfaOffset) return std::nullopt;
  uint64_t bits = static_cast<uint64_t>(rule.cfa);
  bits |= static_cast<uint64_t>(rule.return_place) << kReturnShift;
  bits |= static_cast<uint64_t>(rule.fp_place) << kFpShift;
  bits |= uint64_t{rule.signal} << kSignalShift;
  bits |= uint64_t{static_cast<uint32_t>(rule.cfa_offset) & 0xffffffU} << kCfaOffsetShift;
  bits |= uint64_t{static_cast<uint16_t>(rule.return_offset)} << kReturnOffsetShift;
  bits |= uint64_t{static_cast<uint16_t>(rule.fp_offset)} << kFpOffsetShift;
  return bits;
}

UnwindRule UnpackRule(uint64_t bits) {
  UnwindRule rule;
  rule.cfa = static_cast<UnwindRule::Cfa>(bits & 7);
  rule.return_place = static_cast<UnwindRule::Place>(bits >> kReturnShift & 3);
  rule.fp_place = static_cast<UnwindRule::Place>(bits >> kFpShift & 3);
  rule.signal = (bits >> kSignalShift & 1) != 0;
  const auto offset = static_cast<uint32_t>(bits >> kCfaOffsetShift & 0xffffffU);
  rule.cfa_offset = static_cast<int32_t>(offset << 8) >> 8;  // with its sign
  rule.return_offset = static_cast<int16_t>(bits >> kReturnOffsetShift);
  rule.fp_offset = static_cast<int16_t>(bits >> kFpOffsetShift);
  return rule;
}

UnwindRule ReadUnwindRule(uintptr_t pc) {
  FrameProgram program;
  if (!FindFrameProgram(pc, &program)) return {};
  return RunFrameProgram(program, pc);
}

}  // namespace prof::native
