// SPDX-License-Identifier: Apache-2.0
//
// A range that repeats and leaves memory behind, time after time.
#include "lib/analyzer/findings/finding_memory_left.h"

#include <string>

#include "lib/analyzer/base/thresholds.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

// All that a range prepares once is left as well: it has no such instance in most of the run.
bool GoesOn(const RangeAllocations& range, double end_ns) {
  const auto instances = static_cast<double>(range.instances);
  return range.range != "(no range)" && instances >= kEnoughSteps &&
         static_cast<double>(range.instances_left) >= kLeftBehind * instances &&
         static_cast<double>(range.bytes_at_end) >= kLeastGrowthBytes &&
         range.first_left_ns <= kEarly * end_ns && range.last_left_ns >= kLate * end_ns;
}

bool NamedByGrowth(const MemoryReport& memory, const std::string& range) {
  for (const MemoryGrowth& growth : memory.growth) {
    if (growth.grows && !growth.holders.empty() && growth.holders.front().range == range) {
      return true;
    }
  }
  return false;
}

}  // namespace

MaybeFinding MemoryIsLeft(const MemoryInputs& inputs) {
  const RangeAllocations* most = nullptr;
  for (const RangeAllocations& range : inputs.memory.ranges) {
    if (!GoesOn(range, inputs.end_ns) || NamedByGrowth(inputs.memory, range.range)) continue;
    if (most == nullptr || range.bytes_at_end > most->bytes_at_end) most = &range;
  }
  if (most == nullptr) return std::nullopt;
  Finding finding;
  finding.title = "Range " + most->range + " leaves memory behind, time after time: " +
                  text::Bytes(static_cast<double>(most->bytes_at_end)) + " at the end.";
  finding.evidence = {text::Count(most->instances_left) + " of " + text::Count(most->instances) +
                          " times in which it allocated, it left some of it until the end",
                      text::Plural(most->blocks_at_end, "block", "blocks") + ", allocated from " +
                          text::Time(most->first_left_ns) + " to " +
                          text::Time(most->last_left_ns) + " after the start; the last record is " +
                          text::Time(inputs.end_ns) + " after it"};
  finding.action = "Free in the range what only the range needs, or reuse one buffer.";
  finding.check = "compute-sanitizer --tool memcheck --leak-check full names the allocations";
  finding.confidence = Confidence::kMedium;  // a cache is left as well
  finding.withheld_why = inputs.Lost();
  return finding;
}

}  // namespace prof::analyzer
