// SPDX-License-Identifier: Apache-2.0
//
// Interval arithmetic and sums over one device.
#include "lib/analyzer/rules/finding_inputs.h"

#include <algorithm>

#include "lib/analyzer/base/integrity.h"
#include "lib/analyzer/base/rule_text.h"
#include "lib/text/strings.h"

namespace prof::analyzer {
namespace {

std::string WhyIdleTimeIsInDoubt(const model::Model& model) {
  const std::vector<std::string> losses = LostOperations(model);
  return losses.empty() ? "" : text::Enumerate(losses) + ": idle time may be work that was not recorded";
}

std::string WhyRangesAreInDoubt(const model::Model& model) {
  const uint64_t lost = LostRangeEvents(model);
  return lost == 0 ? "" : std::to_string(lost) + " range events or API calls were dropped";
}

}  // namespace

Intervals Union(Intervals intervals) {
  std::sort(intervals.begin(), intervals.end());
  Intervals merged;
  for (const auto& [start, end] : intervals) {
    if (end <= start) continue;
    if (!merged.empty() && start <= merged.back().second) {
      merged.back().second = std::max(merged.back().second, end);
    } else {
      merged.emplace_back(start, end);
    }
  }
  return merged;
}

double Length(const Intervals& intervals) {
  double length = 0;
  for (const auto& [start, end] : intervals) length += static_cast<double>(end - start);
  return length;
}

double OverlapOf(const Intervals& a, const Intervals& b) {
  double overlap = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const int64_t start = std::max(a[i].first, b[j].first);
    const int64_t end = std::min(a[i].second, b[j].second);
    if (end > start) overlap += static_cast<double>(end - start);
    a[i].second < b[j].second ? ++i : ++j;
  }
  return overlap;
}

double RunInputs::LaunchGapBefore(int32_t op) const {
  const auto found = std::lower_bound(launch_gaps.begin(), launch_gaps.end(), std::pair(op, 0.0));
  return found != launch_gaps.end() && found->first == op ? found->second : 0;
}

RunInputs GatherRunInputs(const model::Model& model, const DeviceTimeline& device, double span_ns) {
  RunInputs inputs{model, device, span_ns};
  for (const model::Op& op : model.ops) {
    if (!RunsKernels(op) || !op.timed || op.device != device.device) continue;
    inputs.kernels.emplace_back(op.start_ns, op.end_ns);
  }
  inputs.kernels = Union(std::move(inputs.kernels));
  for (const Gap& gap : device.gaps) {
    const auto cause = static_cast<size_t>(gap.cause);
    if (cause >= inputs.idle_ns.size()) continue;
    const auto length = static_cast<double>(gap.end_ns - gap.start_ns);
    inputs.idle_ns[cause] += length;
    ++inputs.idle_count[cause];
    if (gap.cause == GapCause::kLaunch) inputs.launch_gaps.emplace_back(gap.next_op, length);
  }
  std::sort(inputs.launch_gaps.begin(), inputs.launch_gaps.end());
  inputs.lost_operations = WhyIdleTimeIsInDoubt(model);
  inputs.lost_ranges = WhyRangesAreInDoubt(model);
  return inputs;
}

}  // namespace prof::analyzer
