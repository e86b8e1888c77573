// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/finding_steps.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/base/statistics.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/rules/finding_text.h"
#include "lib/analyzer/timeline/iterations.h"
#include "lib/analyzer/timeline/step_times.h"
#include "lib/snapshot/model/range_names.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

using model::RangeInstance;

struct Step {
  RangeInstance range;
  int64_t start_ns = 0, end_ns = 0;  // on the device
  int64_t idle_ns = 0;
  int64_t length_ns() const { return end_ns - start_ns; }
};

IntervalUnion IdleTimes(const DeviceTimeline& device) {
  Intervals times;
  for (const Gap& gap : device.gaps) times.push_back({gap.start_ns, gap.end_ns});
  return IntervalUnion(std::move(times));
}

// The steps that prof did not touch, in their order. The first one has no step before it, and the
// second one may have the warm-up.
std::vector<Step> FindSteps(const RunInputs& inputs) {
  const std::vector<RangeInstance> instances = FindIterations(
      inputs.model, FindAllRangeFamilies(inputs.model), static_cast<size_t>(kEnoughSteps));
  std::vector<Step> steps;
  if (instances.empty()) return steps;
  std::vector<int64_t> ends;  // 0: the step launched nothing
  for (const int32_t op : LastOperations(inputs.model, instances, inputs.device.device)) {
    ends.push_back(op == model::kNoIndex ? 0 : inputs.model.ops[static_cast<size_t>(op)].end_ns);
  }
  const IntervalUnion disturbed = DisturbedTimes(inputs.device);
  const IntervalUnion idle = IdleTimes(inputs.device);
  for (size_t i = 2; i < instances.size(); ++i) {
    const Interval times{ends[i - 1], ends[i]};
    if (times.start_ns == 0 || times.end_ns <= times.start_ns) continue;
    if (disturbed.WithinNs(times) > 0) continue;
    steps.push_back({instances[i], times.start_ns, times.end_ns, idle.WithinNs(times)});
  }
  if (static_cast<double>(steps.size()) < kEnoughSteps) steps.clear();
  return steps;
}

template <typename Value>
double MedianOf(const std::vector<Step>& steps, size_t begin, size_t end, Value value) {
  std::vector<int64_t> values;
  for (size_t i = begin; i < end; ++i) values.push_back(value(steps[i]));
  return Summarize(values.begin(), values.end()).median;
}

double MedianLength(const std::vector<Step>& steps, size_t begin, size_t end) {
  return MedianOf(steps, begin, end, [](const Step& step) { return step.length_ns(); });
}

struct Outliers {
  int64_t count = 0;
  double excess_ns = 0, idle_ns = 0;
  double most_ns = 0;  // beyond the shortest of all steps
  const Step* longest = nullptr;
};

Outliers FindOutliers(const std::vector<Step>& steps, double median_ns, double median_idle_ns) {
  Outliers found;
  int64_t shortest_ns = steps.front().length_ns();
  for (const Step& step : steps) shortest_ns = std::min(shortest_ns, step.length_ns());
  for (const Step& step : steps) {
    const auto length_ns = static_cast<double>(step.length_ns());
    if (length_ns < kOutlier * median_ns) continue;
    ++found.count;
    found.excess_ns += length_ns - median_ns;
    found.most_ns += static_cast<double>(step.length_ns() - shortest_ns);
    found.idle_ns += std::max(0.0, static_cast<double>(step.idle_ns) - median_idle_ns);
    if (found.longest == nullptr || step.length_ns() > found.longest->length_ns()) {
      found.longest = &step;
    }
  }
  return found;
}

std::vector<int64_t> Lengths(const std::vector<Step>& steps) {
  std::vector<int64_t> lengths_ns;
  lengths_ns.reserve(steps.size());
  for (const Step& step : steps) lengths_ns.push_back(step.length_ns());
  return lengths_ns;
}

double BeyondShortestNs(const std::vector<Step>& steps) {
  int64_t shortest_ns = steps.front().length_ns(), sum_ns = 0;
  for (const Step& step : steps) {
    shortest_ns = std::min(shortest_ns, step.length_ns());
    sum_ns += step.length_ns();
  }
  return static_cast<double>(sum_ns - shortest_ns * static_cast<int64_t>(steps.size()));
}

// True when one jump makes half of the growth: a clock that fell, or another phase.
bool IsJump(const std::vector<double>& parts) {
  double jump_ns = 0;
  for (size_t i = 1; i < parts.size(); ++i) jump_ns = std::max(jump_ns, parts[i] - parts[i - 1]);
  return jump_ns >= kDriftJump * (parts.back() - parts.front());
}

}  // namespace

MaybeFinding OutlierSteps(const RunInputs& inputs) {
  const std::vector<Step> steps = FindSteps(inputs);
  if (steps.empty()) return std::nullopt;
  const double median_ns = MedianLength(steps, 0, steps.size());
  const double median_idle_ns =
      MedianOf(steps, 0, steps.size(), [](const Step& step) { return step.idle_ns; });
  const Outliers found = FindOutliers(steps, median_ns, median_idle_ns);
  const auto n = static_cast<double>(steps.size());
  if (found.count == 0 || static_cast<double>(found.count) > kFewSteps * n ||
      inputs.Share(found.excess_ns) < kCopyShare) {
    return std::nullopt;
  }
  const RangeInstance& longest = found.longest->range;
  Finding finding;
  finding.title = text::Count(found.count) + " of " + text::Count(steps.size()) +
                  " steps take more than " + text::Fixed(kOutlier, 0) + " times the median.";
  finding.evidence = {
      "median " + text::Time(median_ns) + "; the longest " +
          text::Time(static_cast<double>(found.longest->length_ns())) + ", " +
          model::InstanceName(inputs.model, longest.path, longest.thread, longest.start_ns),
      "beyond the median they take " + WithShare(inputs, found.excess_ns) + ", " +
          text::Time(std::min(found.idle_ns, found.excess_ns)) +
          " of it idle; beyond the shortest " + text::Time(found.most_ns)};
  finding.action =
      "Find out what only these steps do: evaluation, logging, checkpoints, allocation, "
      "compilation, "
      "longer inputs; move it out of the loop or to another thread.";
  finding.kind = GainKind::kCauseRemoved;
  finding.gain_at_most_ns = found.most_ns;
  finding.check =
      "prof run --range with the name of the longest one, or NVTX ranges inside the step";
  finding.confidence = Confidence::kHigh;
  finding.withheld_why =
      inputs.lost_operations.empty() ? inputs.lost_ranges : inputs.lost_operations;
  return RatedFinding(std::move(finding), found.excess_ns);
}

MaybeFinding StepDrift(const RunInputs& inputs) {
  const std::vector<Step> steps = FindSteps(inputs);
  if (steps.empty()) return std::nullopt;
  const std::vector<double> parts = PartMedians(Lengths(steps));
  if (Rising(parts) < kDriftRising || parts.back() < (1 + kDriftGrowth) * parts.front() ||
      IsJump(parts)) {
    return std::nullopt;
  }
  const double gain_ns = BeyondShortestNs(steps);
  if (inputs.Share(gain_ns) < kCopyShare) return std::nullopt;
  Finding finding;
  finding.title = "Steps get longer: from " + text::Time(parts.front()) + " to " +
                  text::Time(parts.back()) + " over " + text::Count(steps.size()) + " steps.";
  finding.evidence = {"medians of " + std::to_string(kDriftParts) + " equal parts of the run; " +
                          text::Percent(Rising(parts)) + " of their pairs rise",
                      "beyond the shortest one they take " + WithShare(inputs, gain_ns)};
  finding.action =
      "Find out what grows with the steps: the length of a sequence or cache, fragmented memory, a "
      "list on the host, or a clock that falls.";
  finding.kind = GainKind::kCauseRemoved;
  finding.gain_at_most_ns = gain_ns;
  finding.check = "compare the kernels of the first steps with those of the last (--keep-last)";
  finding.confidence = Confidence::kMedium;
  finding.withheld_why =
      inputs.lost_operations.empty() ? inputs.lost_ranges : inputs.lost_operations;
  return finding;
}

}  // namespace prof::analyzer
