// SPDX-License-Identifier: Apache-2.0
#include "native_bridge/frame_program.h"

#include <vector>

#include "test/support/catch.h"

namespace prof::native::test::frame_program_test {
namespace {

using Bytes = std::vector<uint8_t>;

UnwindRule RunProgram(const Bytes& initial, const Bytes& instructions, uintptr_t at,
                      bool signal = false) {
  FrameProgram program;
  program.function = 0x1000;
  program.code_alignment = 1;
  program.data_alignment = -8;
  program.return_register = 16;
  program.signal = signal;
  program.initial = initial.data();
  program.initial_end = initial.data() + initial.size();
  program.instructions = instructions.data();
  program.instructions_end = instructions.data() + instructions.size();
  return RunFrameProgram(program, at);
}

// def_cfa rsp+8; the return address at CFA-8
const Bytes kBegin = {0x0c, 7, 8, 0x90, 1};

TEST_CASE("A rule is that of the instruction, not of those behind it") {
  // push rbp: offset 16, rbp at CFA-16; mov rbp, rsp: CFA by rbp.
  const Bytes function = {0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x60, 0x0c, 7, 8};
  UnwindRule rule = RunProgram(kBegin, function, 0x1000);
  CHECK(rule.cfa == UnwindRule::Cfa::kSp);
  CHECK(rule.cfa_offset == 8);
  CHECK(rule.return_offset == -8);
  CHECK(rule.fp_place == UnwindRule::Place::kSame);
  rule = RunProgram(kBegin, function, 0x1001);
  CHECK(rule.cfa_offset == 16);
  CHECK(rule.fp_place == UnwindRule::Place::kAtCfa);
  CHECK(rule.fp_offset == -16);
  rule = RunProgram(kBegin, function, 0x1010);
  CHECK(rule.cfa == UnwindRule::Cfa::kFp);
  CHECK(rule.cfa_offset == 16);
  rule = RunProgram(kBegin, function, 0x1030);
  CHECK(rule.cfa == UnwindRule::Cfa::kSp);
  CHECK(rule.cfa_offset == 8);
}

TEST_CASE("States are remembered, and the outermost function has no caller") {
  const Bytes function = {0x0a, 0x0e, 32, 0x41, 0x0b, 0x41, 0x07, 16};
  CHECK(RunProgram(kBegin, function, 0x1000).cfa_offset == 32);
  CHECK(RunProgram(kBegin, function, 0x1001).cfa_offset == 8);
  CHECK(RunProgram(kBegin, function, 0x1002).cfa == UnwindRule::Cfa::kOutermost);
}

TEST_CASE("A frame that the compiler aligns, and one of a signal, are followed by their words") {
  // CFA: what is at rbp-8; rbp: at rbp+0.
  const Bytes aligned = {0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0};
  UnwindRule rule = RunProgram(kBegin, aligned, 0x1000);
  CHECK(rule.cfa == UnwindRule::Cfa::kAtFp);
  CHECK(rule.cfa_offset == -8);
  CHECK(rule.fp_place == UnwindRule::Place::kAtFp);
  // CFA: what is at rsp+160; the interrupted instruction at rsp+168; rbp at rsp+120.
  const Bytes signal = {0x0f, 4,    0x77, 0xa0, 0x01, 0x06, 0x10, 16,   3,
                        0x77, 0xa8, 0x01, 0x10, 6,    3,    0x77, 0xf8, 0x00};
  rule = RunProgram(kBegin, signal, 0x1000, true);
  CHECK(rule.cfa == UnwindRule::Cfa::kAtSp);
  CHECK(rule.cfa_offset == 160);
  CHECK(rule.return_place == UnwindRule::Place::kAtSp);
  CHECK(rule.return_offset == 168);
  CHECK(rule.fp_offset == 120);
  CHECK(rule.signal);
}

TEST_CASE("A rule keeps all that it has in one number") {
  UnwindRule rule;
  rule.cfa = UnwindRule::Cfa::kAtFp;
  rule.return_place = UnwindRule::Place::kAtSp;
  rule.fp_place = UnwindRule::Place::kAtFp;
  rule.signal = true;
  rule.cfa_offset = -123456;
  rule.return_offset = -300;
  rule.fp_offset = 4711;
  const UnwindRule again = UnpackRule(PackRule(rule).value());
  CHECK(again.cfa == rule.cfa);
  CHECK(again.return_place == rule.return_place);
  CHECK(again.fp_place == rule.fp_place);
  CHECK(again.signal);
  CHECK(again.cfa_offset == rule.cfa_offset);
  CHECK(again.return_offset == rule.return_offset);
  CHECK(again.fp_offset == rule.fp_offset);
  rule.cfa_offset = 1 << 24;
  CHECK_FALSE(PackRule(rule).has_value());
}

TEST_CASE("Instructions that prof does not follow have no rule, and any bytes an answer") {
  CHECK(RunProgram(kBegin, {0x3f}, 0x1000).cfa == UnwindRule::Cfa::kUnknown);
  CHECK(RunProgram(kBegin, {0x0c, 3, 8}, 0x1000).cfa == UnwindRule::Cfa::kUnknown);  // by rbx
  CHECK(RunProgram(kBegin, {0x0b}, 0x1000).cfa == UnwindRule::Cfa::kUnknown);
  CHECK(RunProgram(kBegin, {0x0f, 200, 1}, 0x1000).cfa == UnwindRule::Cfa::kUnknown);
  uint64_t random = 7;
  for (int i = 0; i < 100000; ++i) {
    Bytes bytes(1 + random % 40);
    for (uint8_t& byte : bytes) {
      random = random * 6364136223846793005 + 1442695040888963407;
      byte = static_cast<uint8_t>(random >> 56);
    }
    (void)RunProgram(kBegin, bytes, 0x1000 + random % 64);
  }
}

}  // namespace
}  // namespace prof::native::test::frame_program_test
