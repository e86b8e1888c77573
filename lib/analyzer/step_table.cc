// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/step_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/base/own_frames.h"
#include "lib/analyzer/base/statistics.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/steps/step_items.h"
#include "lib/analyzer/steps/step_parts.h"
#include "lib/analyzer/steps/step_path.h"
#include "lib/analyzer/steps/step_usage.h"
#include "lib/analyzer/steps/step_windows.h"
#include "lib/analyzer/timeline/graph_launches.h"
#include "lib/analyzer/timeline/iterations.h"
#include "lib/analyzer/timeline/launch_periods.h"
#include "lib/analyzer/timeline/step_times.h"
#include "lib/snapshot/model/range_names.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::analyzer {
namespace {

using model::Model;
using model::RangeInstance;

// [own] Some 2 kB each, and as much again as JSON. A range that is entered more often is hardly the
// body of a loop.
constexpr size_t kMostSteps = 250'000;
// [own] With fewer, the second longest step is no percentile.
constexpr size_t kEnoughForP90 = 10, kEnoughForP99 = 100;

// What was found of the steps; vectors are parallel.
struct Steps {
  Iterations ranges;
  std::vector<StepWindow> windows;
  std::vector<StepUsage> usages;
  std::vector<PathTime> paths;
};

double Ns(int64_t time_ns) { return static_cast<double>(time_ns); }

std::vector<StepPartTime> PartTimes(const std::array<PartUsage, kStepParts>& usage,
                                    const PathTime& path) {
  std::vector<StepPartTime> times;
  for (size_t part = 0; part < kStepParts; ++part) {
    const PartUsage& used = usage[part];
    const int64_t path_ns = path.parts_ns[part];
    if (used.host_ns == 0 && used.gpu_ns == 0 && used.idle_ns == 0 && path_ns == 0) continue;
    times.push_back({static_cast<StepPart>(part), Ns(used.host_ns), Ns(used.gpu_ns),
                     Ns(used.alone_ns), Ns(used.idle_ns), Ns(path_ns)});
  }
  return times;
}

std::vector<StepPathTime> KindTimes(const PathTime& path) {
  std::vector<StepPathTime> times;
  for (size_t kind = 0; kind < kPathKinds; ++kind) {
    if (path.kinds_ns[kind] == 0) continue;
    times.push_back({static_cast<StepPathKind>(kind), Ns(path.kinds_ns[kind])});
  }
  return times;
}

std::vector<StepIdle> IdleByCause(const StepUsage& usage) {
  std::vector<StepIdle> idle;
  for (size_t cause = 0; cause < kGapCauses; ++cause) {
    if (usage.classes[cause] == 0) continue;
    idle.push_back({static_cast<GapCause>(cause), Ns(usage.classes[cause])});
  }
  std::stable_sort(idle.begin(), idle.end(),
                   [](const StepIdle& a, const StepIdle& b) { return a.time_ns > b.time_ns; });
  return idle;
}

StepReport DescribeStep(const Model& model, const Steps& steps, size_t index) {
  const RangeInstance& range = steps.ranges[index];
  const StepWindow& window = steps.windows[index];
  const StepUsage& usage = steps.usages[index];
  StepReport step;
  step.index = static_cast<int64_t>(index);
  step.name = model::InstanceName(model, range.path, range.thread, range.start_ns);
  step.begin_ns = Ns(window.gpu.start_ns - model.process.start_ns);
  step.duration_ns = Ns(window.gpu.end_ns - window.gpu.start_ns);
  step.busy_ns = Ns(usage.busy_ns);
  step.idle = IdleByCause(usage);
  for (const StepIdle& idle : step.idle) step.idle_ns += idle.time_ns;
  step.host_ns = Ns(window.host.end_ns - window.host.start_ns);
  step.blocked_ns = Ns(usage.blocked_ns);
  step.operations = usage.operations;
  step.copies = usage.copies;
  step.copied_bytes = usage.copied_bytes;
  step.allocated_bytes = usage.allocated_bytes;
  step.left_out = window.left_out;
  step.parts = PartTimes(usage.parts, steps.paths[index]);
  step.path = KindTimes(steps.paths[index]);
  return step;
}

// Of the steps that are left out for this reason; "": of those that count.
std::vector<int64_t> LengthsOf(const Steps& steps, std::string_view left_out) {
  std::vector<int64_t> lengths_ns;
  for (const StepWindow& window : steps.windows) {
    if (window.left_out != left_out) continue;
    lengths_ns.push_back(window.gpu.end_ns - window.gpu.start_ns);
  }
  return lengths_ns;
}

// The nearest rank.
std::optional<double> Percentile(const std::vector<int64_t>& sorted, double share, size_t enough) {
  if (sorted.size() < enough) return std::nullopt;
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  return Ns(sorted[static_cast<size_t>(rank) - 1]);
}

void SummarizeLengths(std::vector<int64_t> lengths_ns, StepsReport* report) {
  report->counted = static_cast<int64_t>(lengths_ns.size());
  if (static_cast<double>(lengths_ns.size()) >= kEnoughSteps) {
    const std::vector<double> tenths = PartMedians(&lengths_ns);
    report->first_ns = tenths.front();
    report->last_ns = tenths.back();
    report->rising = Rising(tenths);
  }
  report->duration_ns = Summarize(lengths_ns.begin(), lengths_ns.end());
  std::sort(lengths_ns.begin(), lengths_ns.end());
  report->p90_ns = Percentile(lengths_ns, 0.90, kEnoughForP90);
  report->p99_ns = Percentile(lengths_ns, 0.99, kEnoughForP99);
}

// How to record the steps without what disturbed them.
std::string WithoutDisturbance(const Model& model) {
  std::vector<std::string> options;
  if (!model.samples.empty() || !model.profiler_intervals.empty()) {
    options.emplace_back("--counters none (no counters are read)");
  }
  if (!GraphLaunchHolds(model).empty()) {
    options.emplace_back("--graphs whole (the nodes of graphs are not recorded)");
  }
  if (options.empty()) return " A longer recording has more steps that prof does not touch.";
  return " To avoid that, record with " + text::Join(options, " and ") + ".";
}

// Warns where the steps that count are a small part of those that could.
void WarnOfSmallShare(const Model& model, const Steps& steps, StepsReport* report) {
  std::vector<int64_t> disturbed_ns = LengthsOf(steps, kDisturbedStep);
  const auto count = static_cast<int64_t>(disturbed_ns.size());
  const Statistic disturbed = Summarize(disturbed_ns.begin(), disturbed_ns.end());
  const double counted_ns = report->counted > 0 ? report->duration_ns.sum : 0;
  const double all_ns = counted_ns + (count > 0 ? disturbed.sum : 0);
  if (!(all_ns > 0)) return;
  report->counted_share = counted_ns / all_ns;
  if (*report->counted_share >= kLeastUndisturbed) return;
  std::string& warning = report->warning;
  if (report->counted == 0) {
    warning = "No step counts: prof touched all " + text::Count(count) +
              " that could with its own measurements. Their median is " +
              text::Time(disturbed.median) + ".";
  } else {
    warning = "The steps that count have " + text::ShortPercent(*report->counted_share) +
              " of the time (" + text::Time(counted_ns) + " of " + text::Time(all_ns) +
              "). prof touched " + text::Plural(count, "other step", "other steps") +
              " with its own measurements. Their median is " + text::Time(disturbed.median) +
              ", that of the steps that count is " + text::Time(report->duration_ns.median) + ".";
  }
  warning += WithoutDisturbance(model);
}

// The median of each class over the steps that count.
std::array<double, kStepClasses> ClassMedians(const Steps& steps) {
  std::array<double, kStepClasses> medians{};
  std::vector<int64_t> values;
  for (size_t number = 0; number < kStepClasses; ++number) {
    values.clear();
    for (size_t i = 0; i < steps.windows.size(); ++i) {
      if (steps.windows[i].counts()) values.push_back(steps.usages[i].classes[number]);
    }
    if (!values.empty()) medians[number] = Summarize(values.begin(), values.end()).median;
  }
  return medians;
}

void CompareWithMedian(const Steps& steps, StepsReport* report) {
  if (report->counted < static_cast<int64_t>(kEnoughLaunches)) return;
  const std::array<double, kStepClasses> medians = ClassMedians(steps);
  for (StepReport& step : report->steps) {
    if (!step.left_out.empty()) continue;
    step.outlier = step.duration_ns >= kOutlier * report->duration_ns.median;
    if (step.duration_ns <= report->duration_ns.median) continue;
    const StepUsage& usage = steps.usages[static_cast<size_t>(step.index)];
    for (size_t number = 0; number < kStepClasses; ++number) {
      const double more_ns = Ns(usage.classes[number]) - medians[number];
      if (more_ns > step.surplus.time_ns) step.surplus = {ClassName(number), more_ns};
    }
  }
}

void SumUp(const Steps& steps, StepsReport* report) {
  PathTime path;
  std::array<PartUsage, kStepParts> parts{};
  for (size_t i = 0; i < steps.windows.size(); ++i) {
    if (!steps.windows[i].counts()) continue;
    path.Add(steps.paths[i]);
    for (size_t part = 0; part < kStepParts; ++part) {
      const PartUsage& used = steps.usages[i].parts[part];
      parts[part].host_ns += used.host_ns;
      parts[part].gpu_ns += used.gpu_ns;
      parts[part].alone_ns += used.alone_ns;
      parts[part].idle_ns += used.idle_ns;
    }
  }
  report->parts = PartTimes(parts, path);
  report->path = KindTimes(path);
}

std::string TimesText(int64_t count) { return text::Plural(count, "time", "times"); }

void DescribeEdges(const Model& model, const PathEdges& edges, StepsReport* report) {
  report->edges = {edges.recorded, edges.streams + edges.waits + edges.threads, edges.unknown};
  std::vector<std::string>& list = report->not_recorded;
  if (edges.streams > 0) {
    list.push_back("Which event a stream waits for is not recorded: " + TimesText(edges.streams) +
                   " the path goes to the operation of another stream that ended just before.");
  }
  if (edges.waits > 0) {
    list.push_back("What a call waited for is not recorded " + TimesText(edges.waits) +
                   ": the path goes to the work that ended last before it returned.");
  }
  if (edges.threads > 0) {
    list.push_back("How threads wait for each other is not recorded: " + TimesText(edges.threads) +
                   " the path goes between a thread and PyTorch's autograd engine, by their ops.");
  } else if (model.threads.size() > 2) {  // the first one is none
    list.push_back(
        "How threads wait for each other is not recorded: the path stays on a thread, and a wait "
        "for another one is host code.");
  }
  if (edges.unknown > 0) {
    list.push_back(TimesText(edges.unknown) +
                   " it is not recorded why an operation did not start earlier.");
  }
}

// The turns of launches that repeat, where no range does.
Iterations FindByLaunches(const Model& model, StepsReport* report) {
  const std::vector<LaunchStretch> stretches = FindLaunchStretches(model);
  if (stretches.empty()) return {};
  report->by_launches = true;
  for (size_t i = 1; i < stretches.size(); ++i) {
    const Intervals& turns = stretches[i].turns;
    report->other_phases.push_back({TurnsOf(stretches[i]).LaunchesName(),
                                    static_cast<int64_t>(turns.size()),
                                    Ns(turns.front().start_ns - model.process.start_ns),
                                    Ns(turns.back().end_ns - model.process.start_ns)});
  }
  return TurnsOf(stretches.front());
}

}  // namespace

StepsReport BuildStepTable(const Model& model, const Timeline& timeline, const KernelGroups& groups,
                           const std::vector<KernelReport>& kernels) {
  StepsReport report;
  report.wanted = true;
  const RangeFamilies families = FindAllRangeFamilies(model);
  Steps steps;
  steps.ranges = FindIterations(model, families, static_cast<size_t>(kRepeats));
  if (steps.ranges.empty()) steps.ranges = FindByLaunches(model, &report);
  if (steps.ranges.empty()) {
    report.missing = "no range is entered " + text::Fixed(kRepeats, 0) +
                     " times or more on one thread, and no launches repeat: put an NVTX range "
                     "around each step";
    return report;
  }
  if (steps.ranges.size() > kMostSteps) {
    report.missing = std::string(report.by_launches ? "the launches that repeat do so "
                                                    : "the range that repeats is entered ") +
                     text::Count(static_cast<int64_t>(steps.ranges.size())) +
                     " times, and the table takes " + text::Count(kMostSteps) +
                     ": put an NVTX range around each step, or record a part of the run";
    return report;
  }
  const uint32_t thread = steps.ranges.front().thread;
  report.range = report.by_launches ? steps.ranges.LaunchesName()
                                    : families.label[families.of_path[steps.ranges.front().path]];
  steps.windows = FindWindows(model, timeline, steps.ranges);
  const StepParts parts(model, steps.ranges);
  steps.usages = MeasureSteps(model, timeline, groups, kernels, parts, steps.windows, thread);
  const bool stacks = model.host_stacks.size() > 1;
  StepItems items(model, families, groups, kernels, parts,
                  stacks ? OwnFrames(model) : std::vector<uint32_t>());
  StepPaths paths(model, parts, thread);
  steps.paths.resize(steps.windows.size());
  PathEdges edges;
  for (size_t i = 0; i < steps.windows.size(); ++i) {
    const StepWindow& window = steps.windows[i];
    if (window.last_op == model::kNoIndex) continue;
    const PathEdges walked = paths.Walk(
        window.last_op, window.gpu.start_ns,
        [&](const PathPiece& piece) { items.Add(piece, window.counts(), &steps.paths[i]); });
    if (window.counts()) edges.Add(walked);
  }
  for (size_t i = 0; i < steps.windows.size(); ++i) {
    report.steps.push_back(DescribeStep(model, steps, i));
  }
  SummarizeLengths(LengthsOf(steps, ""), &report);
  WarnOfSmallShare(model, steps, &report);
  CompareWithMedian(steps, &report);
  SumUp(steps, &report);
  report.items = items.Items();
  report.off_path = items.OffPath(steps.windows, report.duration_ns.sum);
  DescribeEdges(model, edges, &report);
  return report;
}

}  // namespace prof::analyzer
