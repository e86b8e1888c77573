// SPDX-License-Identifier: Apache-2.0
//
// `wait` is a fixed-latency dependency; __syncthreads() is `barrier`.
#include "lib/analyzer/rules/rule_stalls.h"

namespace prof::analyzer {
namespace {

constexpr StallAdvice kAdvice[] = {
    {"long_scoreboard", "data from global or local memory",
     "Have more loads in flight: independent accesses per thread, prefetch with cp.async or TMA; "
     "then improve locality, so that loads hit closer.",
     true},
    {"short_scoreboard", "results from shared memory, special functions or dynamic branches",
     "Have more independent shared-memory loads in flight; remove bank conflicts; use fewer "
     "special functions.",
     true},
    {"wait", "a fixed-latency instruction that the next one depends on",
     "Give each thread independent work: unroll, use several accumulators; or run more warps.",
     false},
    {"barrier", "sibling warps at __syncthreads()",
     "Balance the work between barriers, use fewer barriers, or smaller blocks so that other "
     "blocks run meanwhile.",
     true},
    {"math_pipe_throttle", "a math pipe that is taken",
     "Spread the work over other pipes, or do less of it.", false},
    {"mio_throttle", "the queue to shared memory, special functions and shuffles",
     "Use fewer, wider shared-memory accesses; replace shuffles and special functions.", false},
    {"lg_throttle", "the queue of global and local memory instructions",
     "Use fewer, wider loads and stores (16 bytes per thread); remove local memory use.", false},
    {"tex_throttle", "the queue of the texture unit", "Use fewer texture fetches, or plain loads.",
     false},
    {"gmma", "asynchronous matrix instructions (wgmma)",
     "Keep more matrix instructions in flight: a deeper pipeline, larger tiles.", false},
    {"membar", "a memory fence", "Use fewer or narrower fences.", false},
    {"drain", "stores to finish before the warp exits", "Write fewer bytes at the end, coalesced.",
     false},
    {"branch_resolving", "a branch target", "Branch less: unroll, predicate.", false},
    {"no_instruction", "the instruction cache",
     "Make the hot loop smaller: less unrolling, less inlining.", false},
    {"imc_miss", "the constant cache",
     "Index constants by the same value in all lanes of a warp, or put the table into shared "
     "memory.",
     false},
    {"sleeping", "__nanosleep()", "Sleep less, or wait on a barrier instead.", false},
    {"dispatch_stall", "the dispatcher", "Collect PC samples: this one is rare.", false},
    {"misc", "something without a name", "Collect PC samples.", false},
};

constexpr StallAdvice kNoAdvice{"", "a reason that this version does not know",
                                "Collect PC samples.", false};

}  // namespace

const StallAdvice& AdviceOn(std::string_view reason) {
  for (const StallAdvice& advice : kAdvice) {
    if (advice.reason == reason) return advice;
  }
  return kNoAdvice;
}

}  // namespace prof::analyzer
