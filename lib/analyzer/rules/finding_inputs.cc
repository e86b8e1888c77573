// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/finding_inputs.h"

#include <algorithm>

#include "lib/analyzer/base/integrity.h"
#include "lib/analyzer/base/rule_text.h"
#include "lib/text/strings.h"

namespace prof::analyzer {
namespace {

std::string WhyIdleTimeIsInDoubt(const model::Model& model) {
  const std::vector<std::string> losses = LostOperations(model);
  return losses.empty() ? ""
                        : text::Enumerate(losses) + ": idle time may be work that was not recorded";
}

std::string WhyRangesAreInDoubt(const model::Model& model) {
  const uint64_t lost = LostRangeEvents(model);
  return lost == 0 ? "" : std::to_string(lost) + " range events or API calls were dropped";
}

// A gap that a wait owns, before a launch that the wait did not hold up itself.
bool InTheRefill(const model::Model& model, const Gap& gap) {
  return gap.cause == GapCause::kSync && gap.api != model::kNoIndex && gap.wait == gap.api &&
         model.api_calls[gap.api].end_ns < gap.start_ns;
}

double Before(const std::vector<std::pair<int32_t, double>>& gaps, int32_t op) {
  const auto found = std::lower_bound(gaps.begin(), gaps.end(), std::pair(op, 0.0));
  return found != gaps.end() && found->first == op ? found->second : 0;
}

}  // namespace

double RunInputs::LaunchGapBefore(int32_t op) const { return Before(launch_gaps, op); }

double RunInputs::IdleBefore(int32_t op) const { return Before(gaps, op); }

RunInputs GatherRunInputs(const model::Model& model, const DeviceTimeline& device, double span_ns) {
  RunInputs inputs{model, device, span_ns};
  Intervals kernels;
  for (const model::Op& op : model.ops) {
    if (!RunsKernels(op) || !op.timed || op.device != device.device || !device.IsEvidence(op)) {
      continue;
    }
    kernels.push_back({op.start_ns, op.end_ns});
  }
  inputs.kernels = IntervalUnion(std::move(kernels));
  for (const Gap& gap : device.gaps) {
    const auto cause = static_cast<size_t>(gap.cause);
    if (cause >= inputs.idle_ns.size()) continue;
    const auto length = static_cast<double>(gap.undisturbed_ns());
    inputs.idle_ns[cause] += length;
    ++inputs.idle_count[cause];
    const bool launch = gap.cause == GapCause::kLaunch || InTheRefill(model, gap);
    if (launch) inputs.launch_gaps.emplace_back(gap.next_op, length);
    if (gap.cause != GapCause::kProfiler) inputs.gaps.emplace_back(gap.next_op, length);
  }
  std::sort(inputs.launch_gaps.begin(), inputs.launch_gaps.end());
  std::sort(inputs.gaps.begin(), inputs.gaps.end());
  inputs.lost_operations = WhyIdleTimeIsInDoubt(model);
  inputs.lost_ranges = WhyRangesAreInDoubt(model);
  return inputs;
}

}  // namespace prof::analyzer
