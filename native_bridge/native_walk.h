// SPDX-License-Identifier: Apache-2.0
//
// The native walk goes over the calling thread's own frames, from the innermost to the outermost.
// It follows the program's call frame information, so the program needs no frame pointers. It loads
// from places that `load` allows only, so a frame that is damaged ends the walk, and nothing else.
#ifndef PROF_NATIVE_BRIDGE_NATIVE_WALK_H_
#define PROF_NATIVE_BRIDGE_NATIVE_WALK_H_

#include <cstdint>

#include "native_bridge/rule_table.h"
#include "native_bridge/unwind_rule.h"

namespace prof::native {

// Frames beyond the innermost ones of a stack are left out. Those of CUDA, CUPTI and prof take some
// of the steps.
constexpr uint32_t kMostDepth = 128, kMostSteps = kMostDepth + 64;

// The addresses of the instructions that a stack is in: those of calls, or (signals) the one that
// was interrupted.
struct Stack {
  uintptr_t pc[kMostSteps];
  uint32_t count = 0;
  bool complete = false;  // the last one is the thread's first function
  uint64_t hash = 0;
  uint32_t generation = 0;  // of the rules that were followed
};

// The registers of a frame's caller. False: the frame is the outermost one (`outermost`), or the
// walk cannot go on.
template <typename Load>
bool StepOut(const UnwindRule& rule, const Load& load, FrameRegisters* at, bool* outermost) {
  using Cfa = UnwindRule::Cfa;
  using Place = UnwindRule::Place;
  *outermost = rule.cfa == Cfa::kOutermost;
  if (*outermost || rule.cfa == Cfa::kUnknown) return false;
  const bool by_fp = rule.cfa == Cfa::kFp || rule.cfa == Cfa::kAtFp;
  uintptr_t cfa = (by_fp ? at->fp : at->sp) + static_cast<uintptr_t>(intptr_t{rule.cfa_offset});
  if ((rule.cfa == Cfa::kAtSp || rule.cfa == Cfa::kAtFp) && !load(cfa, &cfa)) return false;
  const auto place = [&](Place kind, int16_t offset) {
    const uintptr_t base = kind == Place::kAtCfa ? cfa : kind == Place::kAtSp ? at->sp : at->fp;
    return base + static_cast<uintptr_t>(intptr_t{offset});
  };
  FrameRegisters caller = {0, cfa, at->fp};
  if (!load(place(rule.return_place, rule.return_offset), &caller.pc)) return false;
  if (rule.fp_place != Place::kSame && !load(place(rule.fp_place, rule.fp_offset), &caller.fp)) {
    return false;
  }
  // Upwards: a damaged chain may go in a circle. A signal's frame may lead to another stack.
  if (cfa <= at->sp && !rule.signal) return false;
  *outermost = caller.pc == 0;
  *at = caller;
  return caller.pc != 0;
}

// The stack that begins at `at`, an instruction of the caller, without that frame itself.
template <typename Load>
void WalkNative(FrameRegisters at, uint32_t generation, RuleTable* rules, const Load& load,
                Stack* stack) {
  stack->count = 0;
  stack->complete = false;
  stack->generation = generation;
  uint64_t hash = generation;
  bool exact = true;  // `at.pc` is an instruction that runs, not the one behind a call
  while (stack->count < kMostSteps) {
    const UnwindRule rule = rules->Find(exact ? at.pc : at.pc - 1, generation);
    bool outermost = false;
    if (!StepOut(rule, load, &at, &outermost)) {
      stack->complete = outermost;
      break;
    }
    exact = rule.signal;
    const uintptr_t pc = exact ? at.pc : at.pc - 1;
    stack->pc[stack->count++] = pc;
    const uint64_t mixed = pc * 0x9e3779b97f4a7c15;
    hash = (hash << 7 | hash >> 57) + (mixed ^ mixed >> 32);
  }
  hash = (hash + stack->count + (stack->complete ? 1 : 0)) * 0xc2b2ae3d27d4eb4f;
  stack->hash = (hash ^ hash >> 32) | 1;
}

}  // namespace prof::native

#endif  // PROF_NATIVE_BRIDGE_NATIVE_WALK_H_
