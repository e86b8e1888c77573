// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/findings/finding_steps.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lib/analyzer/base/statistics.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/findings/finding_text.h"
#include "lib/analyzer/timeline/step_times.h"
#include "lib/snapshot/model/range_names.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

using model::RangeInstance;

// Calls `visit` with each step that counts: its number among the ranges, and its time on the
// device.
template <typename Visit>
void ForEachStep(const RunInputs& inputs, Visit visit) {
  const DeviceSteps& steps = inputs.steps;
  Interval times;
  for (size_t i = 0; i < steps.counts.size(); ++i) {
    const int32_t op = steps.last[i];
    times.start_ns = times.end_ns;
    if (op != model::kNoIndex) times.end_ns = inputs.model.ops[static_cast<size_t>(op)].end_ns;
    if (steps.counts[i]) visit(i, times);  // the step before has an operation, too
  }
}

int64_t StepLengthNs(const Interval& step) { return step.end_ns - step.start_ns; }

// In the order of time. Empty: there are too few steps.
std::vector<int64_t> Lengths(const RunInputs& inputs) {
  std::vector<int64_t> lengths_ns;
  if (static_cast<double>(inputs.steps.counted) < kEnoughSteps) return lengths_ns;
  lengths_ns.reserve(inputs.steps.counted);
  ForEachStep(inputs,
              [&](size_t, const Interval& step) { lengths_ns.push_back(StepLengthNs(step)); });
  return lengths_ns;
}

struct Outliers {
  int64_t count = 0;
  double excess_ns = 0;
  double most_ns = 0;  // beyond the shortest of all steps
  int64_t longest_ns = 0;
  size_t longest = 0;  // its number among the ranges
};

Outliers FindOutliers(const RunInputs& inputs, const Statistic& lengths_ns) {
  Outliers found;
  ForEachStep(inputs, [&](size_t number, const Interval& step) {
    const auto length_ns = static_cast<double>(StepLengthNs(step));
    if (length_ns < kOutlier * lengths_ns.median) return;
    ++found.count;
    found.excess_ns += length_ns - lengths_ns.median;
    found.most_ns += length_ns - lengths_ns.min;
    if (StepLengthNs(step) > found.longest_ns) {
      found.longest_ns = StepLengthNs(step);
      found.longest = number;
    }
  });
  return found;
}

IntervalUnion IdleTimes(const DeviceTimeline& device) {
  Intervals times;
  times.reserve(device.gaps.size());
  for (const Gap& gap : device.gaps) times.push_back({gap.start_ns, gap.end_ns});
  return IntervalUnion(std::move(times));
}

// The idle time of the outliers beyond the median of all steps.
double IdleOfOutliers(const RunInputs& inputs, double median_ns) {
  const IntervalUnion idle = IdleTimes(inputs.device);
  std::vector<int64_t> all_ns;
  all_ns.reserve(inputs.steps.counted);
  ForEachStep(inputs, [&](size_t, const Interval& step) { all_ns.push_back(idle.WithinNs(step)); });
  const double median_idle_ns = Summarize(all_ns.begin(), all_ns.end()).median;
  double idle_ns = 0;
  ForEachStep(inputs, [&](size_t, const Interval& step) {
    if (static_cast<double>(StepLengthNs(step)) < kOutlier * median_ns) return;
    idle_ns += std::max(0.0, static_cast<double>(idle.WithinNs(step)) - median_idle_ns);
  });
  return idle_ns;
}

double BeyondShortestNs(const std::vector<int64_t>& lengths_ns) {
  int64_t shortest_ns = lengths_ns.front(), sum_ns = 0;
  for (const int64_t length_ns : lengths_ns) {
    shortest_ns = std::min(shortest_ns, length_ns);
    sum_ns += length_ns;
  }
  return static_cast<double>(sum_ns - shortest_ns * static_cast<int64_t>(lengths_ns.size()));
}

// True when one jump makes half of the growth: a clock that fell, or another phase.
bool IsJump(const std::vector<double>& parts) {
  double jump_ns = 0;
  for (size_t i = 1; i < parts.size(); ++i) jump_ns = std::max(jump_ns, parts[i] - parts[i - 1]);
  return jump_ns >= kDriftJump * (parts.back() - parts.front());
}

}  // namespace

MaybeFinding OutlierSteps(const RunInputs& inputs) {
  std::vector<int64_t> unordered_ns = Lengths(inputs);
  if (unordered_ns.empty()) return std::nullopt;
  const Statistic lengths_ns = Summarize(unordered_ns.begin(), unordered_ns.end());
  const double median_ns = lengths_ns.median;
  const Outliers found = FindOutliers(inputs, lengths_ns);
  if (found.count == 0 ||
      static_cast<double>(found.count) > kFewSteps * static_cast<double>(lengths_ns.n) ||
      inputs.Share(found.excess_ns) < kCopyShare) {
    return std::nullopt;
  }
  const RangeInstance longest = inputs.iterations[found.longest];
  Finding finding;
  finding.title = text::Count(found.count) + " of " + text::Count(lengths_ns.n) +
                  " steps take more than " + text::Fixed(kOutlier, 0) + " times the median.";
  finding.evidence = {
      "median " + text::Time(median_ns) + "; the longest " +
          text::Time(static_cast<double>(found.longest_ns)) + ", " +
          model::InstanceName(inputs.model, longest.path, longest.thread, longest.start_ns),
      "beyond the median they take " + WithShare(inputs, found.excess_ns) + ", " +
          text::Time(std::min(IdleOfOutliers(inputs, median_ns), found.excess_ns)) +
          " of it idle; beyond the shortest " + text::Time(found.most_ns)};
  finding.action =
      "Find out what only these steps do: evaluation, logging, checkpoints, allocation, "
      "compilation, "
      "longer inputs; move it out of the loop or to another thread.";
  finding.gain_at_most_ns = found.most_ns;
  finding.check =
      "prof run --range with the name of the longest one, or NVTX ranges inside the step";
  finding.confidence = Confidence::kHigh;
  finding.withheld_why =
      inputs.lost_operations.empty() ? inputs.lost_ranges : inputs.lost_operations;
  return RatedFinding(std::move(finding), found.excess_ns);
}

MaybeFinding StepDrift(const RunInputs& inputs) {
  std::vector<int64_t> lengths_ns = Lengths(inputs);
  if (lengths_ns.empty()) return std::nullopt;
  const std::vector<double> parts = PartMedians(&lengths_ns);
  if (Rising(parts) < kDriftRising || parts.back() < (1 + kDriftGrowth) * parts.front() ||
      IsJump(parts)) {
    return std::nullopt;
  }
  const double gain_ns = BeyondShortestNs(lengths_ns);
  if (inputs.Share(gain_ns) < kCopyShare) return std::nullopt;
  Finding finding;
  finding.title = "Steps get longer: from " + text::Time(parts.front()) + " to " +
                  text::Time(parts.back()) + " over " + text::Count(lengths_ns.size()) + " steps.";
  finding.evidence = {"medians of " + std::to_string(kDriftParts) + " equal parts of the run; " +
                          text::Percent(Rising(parts)) + " of their pairs rise",
                      "beyond the shortest one they take " + WithShare(inputs, gain_ns)};
  finding.action =
      "Find out what grows with the steps: the length of a sequence or cache, fragmented memory, a "
      "list on the host, or a clock that falls.";
  finding.gain_at_most_ns = gain_ns;
  finding.check = "compare the kernels of the first steps with those of the last (--keep-last)";
  finding.confidence = Confidence::kMedium;
  finding.withheld_why =
      inputs.lost_operations.empty() ? inputs.lost_ranges : inputs.lost_operations;
  return finding;
}

}  // namespace prof::analyzer
