// SPDX-License-Identifier: Apache-2.0
//
// `wait` is a fixed-latency dependency; __syncthreads() is `barrier`.
#include "lib/analyzer/rules/rule_stalls.h"

#include <iterator>

#include "lib/analyzer/base/rule_table.h"
#include "lib/analyzer/rules/rule_bounds.h"

namespace prof::analyzer {
namespace {

using Units = std::initializer_list<Unit>;

constexpr Units kNoUnits = {};
constexpr Units kOnlyIssue = {Unit::kIssue};
// cp.async and TMA need fewer instructions for a load.
constexpr Units kOfLoads = {Unit::kIssue,  Unit::kAlu, Unit::kFma,    Unit::kL1,
                            Unit::kShared, Unit::kLsu, Unit::kTexture};
constexpr Units kOfQueue = {Unit::kIssue,  Unit::kAlu, Unit::kFma,     Unit::kL1,
                            Unit::kShared, Unit::kLsu, Unit::kTexture, Unit::kSfu};
// Larger tiles are read less often.
constexpr Units kOfTiles = {Unit::kIssue, Unit::kAlu,     Unit::kFma, Unit::kL1,  Unit::kShared,
                            Unit::kLsu,   Unit::kTexture, Unit::kL2,  Unit::kDram};
constexpr Units kMath = {Unit::kIssue, Unit::kTensor, Unit::kFma,
                         Unit::kAlu,   Unit::kFp64,   Unit::kSfu};
// Misses of the constant cache, and the repeated issue, go with them.
constexpr Units kOfConstants = {Unit::kIssue, Unit::kL2};

// prof samples no program counters.
constexpr std::string_view kPcSamples =
    "Sample the program counter, which shows the instructions that wait: ncu --section "
    "SourceCounters.";

constexpr StallAdvice kAdvice[] = {
    {"long_scoreboard", "data from global or local memory", "more-loads-in-flight",
     "Have more loads in flight: independent accesses per thread, prefetch with cp.async or TMA.",
     kOfLoads, true, "; or by level, above"},
    {"short_scoreboard", "results from shared memory, special functions or dynamic branches",
     "more-shared-loads-in-flight",
     "Have more independent loads from shared memory, or special functions, in flight: several "
     "elements per thread.",
     kOfQueue, true, "; or as `mio_throttle`"},
    {"wait", "a fixed-latency instruction that the next one depends on", "independent-instructions",
     "Give each thread independent work: unroll, use several accumulators; or run more warps.",
     kInstructions},  // a loop that is unrolled counts less
    {"barrier", "sibling warps at __syncthreads()", "balance-barriers",
     "Balance the work between barriers, use fewer barriers, or smaller blocks so that other "
     "blocks run meanwhile.",
     kOnlyIssue, true, "; where 10 % or more (own) is `sleeping`, `sleep-less` first"},
    {"math_pipe_throttle", "a math pipe that is taken", "spread-over-pipes",
     "Spread the work over other pipes.", kMath, false, " (healthy when a pipe is saturated)"},
    {"mio_throttle", "the queue to shared memory, special functions and shuffles",
     "fewer-shared-instructions",
     "Use fewer, wider shared-memory accesses; replace shuffles and special functions.", kOfQueue,
     false,
     "; `uniform-constants` where it is 30 % or more, and the units behind the queue are below 1 % "
     "while "
     "the SMs are active (own)"},
    {"lg_throttle", "the queue of global and local memory instructions", "wider-global-accesses",
     "Use fewer, wider loads and stores (16 bytes per thread).", kOfLoads},
    {"tex_throttle", "the queue of the texture unit", "fewer-texture-fetches",
     "Use fewer texture fetches, or plain loads.", kOfTiles, false, "", GainKind::kLessWork},
    {"gmma", "asynchronous matrix instructions (wgmma)", "deeper-matrix-pipeline",
     "Keep more matrix instructions in flight: a deeper pipeline, larger tiles.", kOfTiles, false,
     " (healthy when the tensor pipe is busy)"},
    {"membar", "a memory fence", "fewer-fences", "Use fewer or narrower fences.", kOnlyIssue, false,
     "", GainKind::kCauseRemoved},
    {"drain", "stores to finish before the warp exits", "fewer-final-stores",
     "Write fewer bytes at the end, coalesced.", kOfTiles, false, "", GainKind::kLessWork},
    {"branch_resolving", "a branch target", "fewer-branches", "Branch less: unroll, predicate.",
     kInstructions, false, "", GainKind::kLessWork},
    {"no_instruction", "the instruction cache", "smaller-loop",
     "Make the hot loop smaller: less unrolling, less inlining.", kOnlyIssue},
    {"imc_miss", "a constant operand that the constant cache does not have", "fewer-cold-constants",
     "Use fewer constants, close to each other, or do more work in a launch: each constant is "
     "fetched once.",
     kOfConstants, false, "", GainKind::kCauseRemoved},
    {"sleeping", "__nanosleep()", "sleep-less", "Sleep less, or wait on a barrier instead.",
     kOfTiles, false, "", GainKind::kCauseRemoved},
    {"dispatch_stall", "the dispatcher", "read-pc-samples", kPcSamples, kNoUnits},
    {"misc", "something without a name", "read-pc-samples", kPcSamples, kNoUnits},
};

constexpr StallAdvice kNoAdvice{"", "a reason that this version does not know", "read-pc-samples",
                                kPcSamples};

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

std::string StallTable() {
  RuleTable table({"reason", "the warp waits for", "action"});
  const auto add = [&](const StallAdvice& advice, const std::string& reason) {
    table.Add({reason, advice.waits_for, AsCode(advice.action_id) + std::string(advice.remark)});
  };
  for (const StallAdvice& advice : kAdvice) add(advice, AsCode(advice.reason));
  add(kNoAdvice, "any other");
  return table.text();
}

}  // namespace prof::analyzer
