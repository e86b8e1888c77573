// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/findings/finding_steps.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/analyzer/base/kernel_names.h"
#include "lib/analyzer/base/statistics.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/findings/finding_text.h"
#include "lib/analyzer/timeline/step_times.h"
#include "lib/snapshot/model/range_names.h"
#include "lib/text/demangle.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

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

// --- What only the outliers did ------------------------------------------------------------------

constexpr size_t kMostExtras = 3;
// [own] of the time beyond the median: less is not worth naming.
constexpr double kLeastExtra = 0.10;

// Work or idle time of one kind, in outliers and in the other steps.
struct StepWork {
  double outliers_ns = 0, others_ns = 0;
  int64_t outliers = 0, others = 0;
};
using StepWorks = std::map<std::string, StepWork>;  // by name

// A step that counts.
struct TimedStep {
  Interval times;
  bool outlier = false;
};

std::string WorkName(const model::Model& model, const model::Op& op) {
  switch (op.kind) {
    case model::OpKind::kKernel:
      return ShortName(text::Demangle(model.shapes[op.shape].name));
    case model::OpKind::kCopy:
      return "copies";
    case model::OpKind::kMemset:
      return "memsets";
    case model::OpKind::kGraph:
      break;
  }
  return "CUDA graph " + std::to_string(op.graph);
}

class WorkOfSteps {
 public:
  explicit WorkOfSteps(const std::vector<TimedStep>& steps) : steps_(steps) {}

  // In the order of their starts. Of work over an end the part in its own step counts.
  void Add(const Interval& times, StepWork* work) {
    while (next_ < steps_.size() && steps_[next_].times.end_ns <= times.start_ns) ++next_;
    if (next_ == steps_.size() || times.start_ns < steps_[next_].times.start_ns) return;
    const TimedStep& step = steps_[next_];
    const auto time_ns = static_cast<double>(OverlapNs(times, step.times));
    (step.outlier ? work->outliers_ns : work->others_ns) += time_ns;
    ++(step.outlier ? work->outliers : work->others);
  }

 private:
  const std::vector<TimedStep>& steps_;
  size_t next_ = 0;
};

// By kernel name, other operations, and idle time by cause.
StepWorks SumWork(const RunInputs& inputs, const std::vector<TimedStep>& steps) {
  StepWorks works;
  std::vector<StepWork*> of_shape(inputs.model.shapes.size());
  WorkOfSteps operations(steps), idle(steps);
  for (const model::Op& op : inputs.model.ops) {
    if (!op.timed || op.device != inputs.device.device) continue;
    const bool kernel = op.kind == model::OpKind::kKernel;
    StepWork*& known = of_shape[kernel ? op.shape : 0];
    if (!kernel || known == nullptr) known = &works[WorkName(inputs.model, op)];
    operations.Add({op.start_ns, op.end_ns}, known);
  }
  for (const Gap& gap : inputs.device.gaps) {
    if (gap.cause == GapCause::kProfiler) continue;
    idle.Add({gap.start_ns, gap.end_ns},
             &works[std::string("idle time by ") + ToString(gap.cause)]);
  }
  return works;
}

// "eval 12.1 ms in 400 launches, idle time by host-work 3.20 ms": what outliers have beyond the
// mean of the others. Empty: nothing stands out.
std::string ExtrasText(const RunInputs& inputs, const Outliers& found, double median_ns) {
  std::vector<TimedStep> steps;
  ForEachStep(inputs, [&](size_t, const Interval& times) {
    const bool outlier = static_cast<double>(StepLengthNs(times)) >= kOutlier * median_ns;
    steps.push_back({times, outlier});
  });
  const auto others = static_cast<double>(steps.size()) - static_cast<double>(found.count);
  if (!(others > 0)) return "";
  const double scale = static_cast<double>(found.count) / others;
  std::vector<std::pair<double, std::string>> extras;
  for (const auto& [name, work] : SumWork(inputs, steps)) {
    const double more_ns = work.outliers_ns - scale * work.others_ns;
    if (more_ns < kLeastExtra * found.excess_ns) continue;
    std::string text = name + ' ' + text::Time(more_ns);
    const double times =
        static_cast<double>(work.outliers) - scale * static_cast<double>(work.others);
    if (times >= 1) text += " (" + text::Count(static_cast<int64_t>(times)) + " more)";
    extras.emplace_back(-more_ns, std::move(text));
  }
  std::sort(extras.begin(), extras.end());
  std::vector<std::string> list;
  for (size_t i = 0; i < std::min(extras.size(), kMostExtras); ++i)
    list.push_back(extras[i].second);
  return text::Join(list, ", ");
}

// --- Findings ------------------------------------------------------------------------------------

// "step 149"; by launches with its time, because no name tells which one it is.
std::string NameOfStep(const RunInputs& inputs, size_t number) {
  const RangeInstance step = inputs.iterations[number];
  if (!inputs.iterations.by_launches()) {
    return model::InstanceName(inputs.model, step.path, step.thread, step.start_ns);
  }
  return "step " + std::to_string(number) + " at " +
         text::Time(static_cast<double>(step.start_ns - inputs.model.process.start_ns));
}

// The mark of steps that no range tells.
const char* HowFound(const RunInputs& inputs) {
  return inputs.iterations.by_launches() ? " (by launches)" : "";
}

void AddHowFound(const RunInputs& inputs, Finding* finding) {
  if (!inputs.iterations.by_launches()) return;
  finding->evidence.push_back("no NVTX range repeats: a step is one turn of " +
                              inputs.iterations.LaunchesName());
  finding->confidence = std::min(finding->confidence, Confidence::kMedium);
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
  Finding finding;
  finding.title = text::Count(found.count) + " of " + text::Count(lengths_ns.n) + " steps" +
                  HowFound(inputs) + " take more than " + text::Fixed(kOutlier, 0) +
                  " times the median.";
  finding.evidence = {"median " + text::Time(median_ns) + "; the longest " +
                          text::Time(static_cast<double>(found.longest_ns)) + ", " +
                          NameOfStep(inputs, found.longest),
                      "beyond the median they take " + WithShare(inputs, found.excess_ns) + ", " +
                          text::Time(std::min(IdleOfOutliers(inputs, median_ns), found.excess_ns)) +
                          " of it idle; beyond the shortest " + text::Time(found.most_ns)};
  const std::string extras = ExtrasText(inputs, found, median_ns);
  if (!extras.empty()) finding.evidence.push_back("beyond the other steps they have " + extras);
  finding.action =
      "Find out what only these steps do: evaluation, logging, checkpoints, allocation, "
      "compilation, "
      "longer inputs; move it out of the loop or to another thread.";
  finding.gain_at_most_ns = found.most_ns;
  finding.check =
      inputs.iterations.by_launches()
          ? "NVTX ranges around each step, and inside it"
          : "prof run --range with the name of the longest one, or NVTX ranges inside the step";
  finding.confidence = Confidence::kHigh;
  AddHowFound(inputs, &finding);
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
  finding.title = std::string("Steps") + HowFound(inputs) + " get longer: from " +
                  text::Time(parts.front()) + " to " + text::Time(parts.back()) + " over " +
                  text::Count(lengths_ns.size()) + " steps.";
  finding.evidence = {"medians of " + std::to_string(kDriftParts) + " equal parts of the run; " +
                          text::Percent(Rising(parts)) + " of their pairs rise",
                      "beyond the shortest one they take " + WithShare(inputs, gain_ns)};
  finding.action =
      "Find out what grows with the steps: the length of a sequence or cache, fragmented memory, a "
      "list on the host, or a clock that falls.";
  finding.gain_at_most_ns = gain_ns;
  finding.check = "compare the kernels of the first steps with those of the last (--keep-last)";
  finding.confidence = Confidence::kMedium;
  AddHowFound(inputs, &finding);
  finding.withheld_why =
      inputs.lost_operations.empty() ? inputs.lost_ranges : inputs.lost_operations;
  return finding;
}

}  // namespace prof::analyzer
