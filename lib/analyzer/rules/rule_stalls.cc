// SPDX-License-Identifier: Apache-2.0
//
// `wait` is a fixed-latency dependency; __syncthreads() is `barrier`.
#include "lib/analyzer/rules/rule_stalls.h"

#include <iterator>

namespace prof::analyzer {
namespace {

constexpr StallAdvice kAdvice[] = {
    {"long_scoreboard", "data from global or local memory", "more-loads-in-flight",
     "Have more loads in flight: independent accesses per thread, prefetch with cp.async or TMA.",
     true},
    {"short_scoreboard", "results from shared memory, special functions or dynamic branches",
     "more-shared-loads-in-flight",
     "Have more independent shared-memory loads in flight; remove bank conflicts; use fewer "
     "special functions.",
     true},
    {"wait", "a fixed-latency instruction that the next one depends on", "independent-instructions",
     "Give each thread independent work: unroll, use several accumulators; or run more warps.",
     false},
    {"barrier", "sibling warps at __syncthreads()", "balance-barriers",
     "Balance the work between barriers, use fewer barriers, or smaller blocks so that other "
     "blocks run meanwhile.",
     true},
    {"math_pipe_throttle", "a math pipe that is taken", "spread-over-pipes",
     "Spread the work over other pipes, or do less of it.", false},
    {"mio_throttle", "the queue to shared memory, special functions and shuffles",
     "fewer-shared-instructions",
     "Use fewer, wider shared-memory accesses; replace shuffles and special functions.", false},
    {"lg_throttle", "the queue of global and local memory instructions", "wider-global-accesses",
     "Use fewer, wider loads and stores (16 bytes per thread).", false},
    {"tex_throttle", "the queue of the texture unit", "fewer-texture-fetches",
     "Use fewer texture fetches, or plain loads.", false},
    {"gmma", "asynchronous matrix instructions (wgmma)", "deeper-matrix-pipeline",
     "Keep more matrix instructions in flight: a deeper pipeline, larger tiles.", false},
    {"membar", "a memory fence", "fewer-fences", "Use fewer or narrower fences.", false},
    {"drain", "stores to finish before the warp exits", "fewer-final-stores",
     "Write fewer bytes at the end, coalesced.", false},
    {"branch_resolving", "a branch target", "fewer-branches", "Branch less: unroll, predicate.",
     false},
    {"no_instruction", "the instruction cache", "smaller-loop",
     "Make the hot loop smaller: less unrolling, less inlining.", false},
    {"imc_miss", "the constant cache", "uniform-constants",
     "Index constants by the same value in all lanes of a warp, or put the table into shared "
     "memory.",
     false},
    {"sleeping", "__nanosleep()", "sleep-less", "Sleep less, or wait on a barrier instead.", false},
    {"dispatch_stall", "the dispatcher", "read-pc-samples", "Collect PC samples.", false},
    {"misc", "something without a name", "read-pc-samples", "Collect PC samples.", false},
};

constexpr StallAdvice kNoAdvice{"", "a reason that this version does not know", "read-pc-samples",
                                "Collect PC samples.", false};

}  // namespace

const StallAdvice& AdviceOn(std::string_view reason) {
  for (const StallAdvice& advice : kAdvice) {
    if (advice.reason == reason) return advice;
  }
  return kNoAdvice;
}

const std::vector<StallAdvice>& StallRows() {
  static const std::vector<StallAdvice> rows(std::begin(kAdvice), std::end(kAdvice));
  return rows;
}

}  // namespace prof::analyzer
