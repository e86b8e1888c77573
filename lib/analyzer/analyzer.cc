// SPDX-License-Identifier: Apache-2.0
#include "prof/analyzer.h"

#include <algorithm>
#include <exception>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/analyzer/actions.h"
#include "lib/analyzer/analyzer.h"
#include "lib/analyzer/base/background.h"
#include "lib/analyzer/base/integrity.h"
#include "lib/analyzer/base/statistics.h"
#include "lib/analyzer/continuous/continuous.h"
#include "lib/analyzer/decide.h"
#include "lib/analyzer/findings/finding_clock.h"
#include "lib/analyzer/findings/finding_fusion.h"
#include "lib/analyzer/findings/finding_memory.h"
#include "lib/analyzer/findings/finding_other_work.h"
#include "lib/analyzer/findings/finding_rules.h"
#include "lib/analyzer/findings/finding_small_kernels.h"
#include "lib/analyzer/kernels/counters.h"
#include "lib/analyzer/kernels/inheritance.h"
#include "lib/analyzer/kernels/kernels.h"
#include "lib/analyzer/kernels/roofline.h"
#include "lib/analyzer/kernels/run_clock.h"
#include "lib/analyzer/kernels/untraced_launches.h"
#include "lib/analyzer/lines.h"
#include "lib/analyzer/memory/memory.h"
#include "lib/analyzer/range_tree.h"
#include "lib/analyzer/regions/counted_regions.h"
#include "lib/analyzer/step_table.h"
#include "lib/analyzer/time_table.h"
#include "lib/analyzer/timeline/api_summary.h"
#include "lib/analyzer/timeline/copies.h"
#include "lib/analyzer/timeline/gaps.h"
#include "lib/analyzer/timeline/gpu_state.h"
#include "lib/analyzer/timeline/iterations.h"
#include "lib/analyzer/timeline/nvtx.h"
#include "lib/analyzer/timeline/streams.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/analyzer/torch_modules.h"
#include "lib/analyzer/torch_shapes.h"
#include "lib/analyzer/torch_table.h"
#include "lib/analyzer/whole_run.h"
#include "lib/format/enums.h"
#include "lib/format/metric_names.h"
#include "lib/snapshot/read/reader.h"
#include "lib/text/numbers.h"

namespace prof {
namespace {

using analyzer::CountedKernels;
using analyzer::KernelGroups;
using analyzer::Timeline;
using model::Model;

using UntracedByDevice = std::map<uint32_t, int64_t>;  // by device: time that only counters know

// The span and prof's part of it, over all devices: shares of the sum add up to one. Kernels that
// only counters have timed ran within a gap that is prof's: their time is taken from it.
struct Spans {
  int64_t span_ns = 0, profiler_ns = 0, paused_ns = 0;
  double undisturbed_ns() const { return static_cast<double>(span_ns - profiler_ns); }
  double recorded_ns() const { return static_cast<double>(span_ns - paused_ns); }
};

Spans SumSpans(const Timeline& timeline, UntracedByDevice untraced_ns) {
  Spans spans;
  for (const analyzer::DeviceTimeline& device : timeline.devices) {
    int64_t& untraced = untraced_ns[device.device];
    const int64_t within_ns = std::min(untraced, device.profiler_ns);
    spans.span_ns += device.end_ns - device.start_ns;
    spans.profiler_ns += device.profiler_ns - within_ns;
    spans.paused_ns += std::min(device.paused_ns, device.profiler_ns - within_ns);
    untraced -= within_ns;
  }
  for (const auto& [device, time_ns] : untraced_ns) spans.span_ns += time_ns;
  return spans;
}

double CounterCostNs(const Model& model) {
  uint64_t cost_ns = 0;
  for (const model::ProfilerInterval& interval : model.profiler_intervals) {
    cost_ns += static_cast<uint64_t>(interval.end_ns - interval.begin_ns);
  }
  return static_cast<double>(std::max(cost_ns, model.integrity.counter_cost_ns));
}

Totals CountRecords(const Model& model) {
  Totals totals;
  for (const model::Op& op : model.ops) {
    switch (op.kind) {
      case model::OpKind::kKernel:
        ++totals.kernels;
        break;
      case model::OpKind::kCopy:
        ++totals.copies;
        break;
      case model::OpKind::kMemset:
        ++totals.memsets;
        break;
      case model::OpKind::kGraph:
        ++totals.graphs;
        break;
    }
  }
  totals.api_calls = static_cast<int64_t>(model.api_calls.size());
  totals.ranges = static_cast<int64_t>(model.instances.size());
  totals.samples = static_cast<int64_t>(model.samples.size());
  return totals;
}

// Statistic of the medians of `metric` that the kernels of a device have, by their time.
Statistic OverKernels(const KernelGroups& groups, const CountedKernels& counted, uint32_t device,
                      const char* metric) {
  std::vector<analyzer::WeightedValue> values;
  for (size_t g = 0; g < groups.groups.size(); ++g) {
    if (groups.groups[g].device != device) continue;
    const std::optional<double> value = counted.of_group[g].counters.Metric(metric);
    if (value) values.push_back({*value, groups.groups[g].launches.total_ns});
  }
  return analyzer::SummarizeWeighted(&values);
}

std::vector<double> UndisturbedTimes(const KernelGroups& groups) {
  std::vector<double> times_ns;
  for (const analyzer::KernelGroup& group : groups.groups) {
    times_ns.push_back(static_cast<double>(group.undisturbed_ns));
  }
  return times_ns;
}

std::vector<DeviceReport> DescribeDevices(const Model& model, const Timeline& timeline,
                                          const UntracedByDevice& untraced_ns,
                                          const KernelGroups& groups, const CountedKernels& counted,
                                          const std::vector<KernelReport>& kernels) {
  const std::vector<double> times_ns = UndisturbedTimes(groups);
  std::map<uint32_t, DeviceReport> devices;  // described, or seen at work, or both
  for (const model::Device& device : model.devices) {
    DeviceReport& entry = devices[device.id];
    entry.name = device.name;
    entry.chip = device.chip;
    entry.sm_count = device.sm_count;
  }
  for (const analyzer::DeviceTimeline& device : timeline.devices) {
    DeviceReport& entry = devices[device.device];
    const int64_t idle_ns = device.undisturbed_ns() - device.busy_ns;
    entry.busy_ns = static_cast<double>(device.busy_ns);
    entry.idle_ns = static_cast<double>(idle_ns);
    entry.state = analyzer::SummarizeGpuState(model, device);
  }
  for (const auto& [device, time_ns] : untraced_ns) {
    devices[device].busy_ns += static_cast<double>(time_ns);
  }
  std::vector<DeviceReport> result;
  for (auto& [id, entry] : devices) {
    entry.id = id;
    entry.sm_clock_hz = OverKernels(groups, counted, id, format::kSmClockMetric);
    entry.dram_clock_hz = OverKernels(groups, counted, id, format::kDramClockMetric);
    entry.dram_peak_bytes_per_s = analyzer::DramPeak(
        model.FindDevice(id), entry.dram_clock_hz.n > 0 ? entry.dram_clock_hz.median : 0);
    entry.run_clock = analyzer::FindRunClock(model, id, kernels, times_ns);
    result.push_back(std::move(entry));
  }
  return result;
}

// `findings` by possible gain, descending.
void AddByGain(std::optional<Finding> finding, std::vector<Finding>* findings) {
  if (!finding) return;
  const auto place = std::find_if(findings->begin(), findings->end(), [&](const Finding& other) {
    return other.gain_at_most_ns < finding->gain_at_most_ns;
  });
  findings->insert(place, std::move(*finding));
}

std::vector<NoticeReport> DescribeNotices(const Model& model, const Timeline& timeline) {
  std::vector<NoticeReport> notices;
  for (const model::Notice& notice : model.notices) {
    notices.push_back(
        {format::Name(notice.severity), format::Name(notice.subsystem), notice.what, notice.fix});
  }
  if (timeline.devices.size() > 1) {
    notices.push_back(
        {format::Name(model::Severity::kInfo), format::Name(model::Subsystem::kTimeline),
         "the span is the sum of the spans of " + std::to_string(timeline.devices.size()) +
             " devices, and shares are of that sum",
         ""});
  }
  return notices;
}

void SetTimes(const KernelGroups& groups, const analyzer::PathTimes& on_path,
              std::vector<KernelReport>* kernels) {
  for (size_t g = 0; g < kernels->size(); ++g) {
    (*kernels)[g].busy_ns = static_cast<double>(groups.groups[g].exclusive_ns);
    (*kernels)[g].critical_ns = on_path.kernels_ns[g];
  }
}

std::vector<KernelReport> ByTime(std::vector<KernelReport> kernels) {
  std::stable_sort(
      kernels.begin(), kernels.end(),
      [](const KernelReport& a, const KernelReport& b) { return a.total_ns > b.total_ns; });
  return kernels;
}

// What the records say without the timeline.
struct Described {
  analyzer::Iterations iterations;
  std::optional<WholeRun> whole_run;
  MemoryReport memory;
  NvtxReport nvtx;
  std::vector<StreamReport> streams;
  std::vector<ApiSummary> api_calls;
  std::vector<CopySummary> copies;
};

Described DescribeRecords(const Model& model) {
  Described described;
  const analyzer::RangeFamilies families = analyzer::FindAllRangeFamilies(model);
  described.iterations = analyzer::FindRunIterations(model, families);
  described.whole_run = analyzer::EstimateWholeRun(model);
  described.memory = analyzer::DescribeMemory(model, families, described.iterations);
  described.nvtx = analyzer::DescribeNvtx(model);
  described.streams = analyzer::DescribeStreams(model);
  described.api_calls = analyzer::SummarizeApiCalls(model);
  described.copies = analyzer::SummarizeCopies(model);
  return described;
}

// The stages, each a function from values to a value: timeline, groups, counted, attributed,
// inherited, decided; then the report is put together. What needs no timeline runs beside it, and
// the search for findings beside the kernels.
Report AnalyzeModel(const Model& model, const AnalyzeOptions& options) {
  const analyzer::RangeFamilies families = analyzer::FindRangeFamilies(model);
  struct Untimed {
    KernelGroups groups;
    Described described;
  };
  std::future<Untimed> untimed = analyzer::InBackground(model.ops.size(), [&] {
    return Untimed{analyzer::GroupKernels(model, families), DescribeRecords(model)};
  });
  const Timeline timeline = analyzer::BuildTimeline(model);
  auto [timed_by_records, described] = untimed.get();
  analyzer::AddTimelineTimes(model, timeline, &timed_by_records);
  const CountedKernels counted = analyzer::CountKernels(model, timed_by_records);
  const KernelGroups groups = analyzer::TimeByCounters(std::move(timed_by_records), counted);
  const UntracedByDevice untraced_ns = analyzer::UntracedTimes(groups);
  const Spans spans = SumSpans(timeline, untraced_ns);
  const double undisturbed_ns = spans.undisturbed_ns();
  std::string findings_missing =
      analyzer::WhyNoFindings(model, families, spans.recorded_ns(), undisturbed_ns);
  std::future<std::vector<Finding>> in_run = analyzer::InBackground(
      model.ops.size(), [&, &iterations = described.iterations, search = findings_missing.empty()] {
        return search ? analyzer::FindInRun(model, timeline, iterations, undisturbed_ns)
                      : std::vector<Finding>();
      });
  const analyzer::CountedRegions counted_regions = analyzer::CountRegions(model, families, groups);
  analyzer::Continuous continuous =
      analyzer::AttributeContinuous(model, families, timeline, groups);
  std::vector<RegionReport> regions =
      analyzer::DecideRegions(model, counted_regions, undisturbed_ns);
  const analyzer::Inherited inherited =
      analyzer::InheritCounters(model, groups, counted, continuous.of_group);
  std::vector<KernelReport> kernels = analyzer::DecideKernels(
      model, groups, inherited, continuous.courses, counted_regions, regions, undisturbed_ns);
  analyzer::DoubtBesideOtherWork(continuous.other_work, &kernels);
  const analyzer::PathTimes on_path = analyzer::TimesOnPath(model, timeline, groups);
  SetTimes(groups, on_path, &kernels);
  analyzer::SetTorchOps(model, timeline, groups, &kernels);
  analyzer::SetTorchModules(model, timeline, groups, &kernels);
  analyzer::SetLines(model, timeline, groups, &kernels);
  std::vector<DeviceReport> devices =
      DescribeDevices(model, timeline, untraced_ns, groups, counted, kernels);
  std::vector<GapSummary> gaps = analyzer::SummarizeGaps(model, timeline);
  std::vector<RangeNode> ranges = analyzer::BuildRangeTree(model, families, timeline, groups);
  const Totals totals = CountRecords(model);
  std::vector<Finding> findings = in_run.get();
  if (findings_missing.empty()) {
    analyzer::KeepDramReads(model, timeline, groups, kernels, &findings);
    AddByGain(analyzer::FindLowClock(devices, undisturbed_ns), &findings);
    AddByGain(analyzer::FindFusion(model, timeline, groups, kernels, undisturbed_ns), &findings);
  }
  analyzer::AddOtherWork(continuous.other_work, &findings);
  analyzer::AddMemoryFindings(model, described.memory, &findings);

  Report report;
  report.incomplete = analyzer::WhyIncomplete(model);
  report.command = model.process.command;
  report.host = model.process.host;
  report.prof_version = model.process.prof_version;
  report.nvidia_driver = model.process.nvidia_driver;
  report.pid = model.process.pid;
  report.rank = model.process.rank;
  report.start_ns = model.process.start_ns;
  report.span_ns = static_cast<double>(spans.span_ns);
  report.undisturbed_ns = undisturbed_ns;
  report.profiler_ns = static_cast<double>(spans.profiler_ns);
  report.paused_ns = static_cast<double>(spans.paused_ns);
  report.counter_cost_ns = CounterCostNs(model);
  report.totals = totals;
  report.devices = std::move(devices);
  report.rows = analyzer::BuildRows(
      model, {families, timeline, groups, kernels, counted_regions, regions, continuous, gaps,
              findings, undisturbed_ns, static_cast<double>(spans.profiler_ns),
              static_cast<double>(spans.paused_ns)});
  report.ranges = std::move(ranges);
  report.lines = analyzer::SumLines(model, timeline, groups, kernels, described.iterations);
  report.torch = analyzer::BuildTorchTable(model, families, timeline, groups, kernels);
  report.torch.ops_by_shapes = analyzer::BuildTorchShapes(model, timeline, groups, kernels);
  analyzer::AddTorchModules(model, timeline, groups, kernels, &report.torch);
  if (options.steps) report.steps = analyzer::BuildStepTable(model, timeline, groups, kernels);
  report.whole_run = std::move(described.whole_run);
  report.kernels = ByTime(std::move(kernels));
  report.verdicts = analyzer::CoverVerdicts(report.kernels);
  report.regions = std::move(regions);
  report.gaps = std::move(gaps);
  report.copies = std::move(described.copies);
  report.api_calls = std::move(described.api_calls);
  report.streams = std::move(described.streams);
  report.findings = std::move(findings);
  report.findings_missing = std::move(findings_missing);
  report.actions = analyzer::RankActions(report, on_path.other_ns);
  report.continuous = std::move(continuous.reports);
  report.nvtx = std::move(described.nvtx);
  report.memory = std::move(described.memory);
  report.pm_samples_lost = text::Clamped(model.integrity.pm_samples_lost);
  report.pm_restarts = text::Clamped(model.integrity.pm_restarts);
  report.notices = DescribeNotices(model, timeline);
  report.integrity =
      analyzer::IntegritySentences(model, counted.without_kernel, counted_regions.without_work);
  for (const analyzer::OtherWork& other : continuous.other_work) {
    report.integrity.push_back("Something else worked on the GPU: " + other.Describe() + ".");
  }
  return report;
}

Report Failed(std::string why) {
  Report report;
  report.error = std::move(why);
  return report;
}

}  // namespace

Report Analyze(const Snapshot& snapshot) { return Analyze(snapshot, {}); }

Report Analyze(const Snapshot& snapshot, const AnalyzeOptions& options) {
  return AnalyzeAmended(snapshot, nullptr, options);
}

Report AnalyzeAmended(const Snapshot& snapshot, const std::function<void(Model*)>& amend,
                      const AnalyzeOptions& options) {
  try {
    absl::StatusOr<Model> model = ReadSnapshot(snapshot);
    if (!model.ok()) return Failed(std::string(model.status().message()));
    if (amend) amend(&*model);
    return AnalyzeModel(*model, options);
  } catch (const std::exception& problem) {  // most likely out of memory
    return Failed(std::string("the analysis failed: ") + problem.what());
  }
}

}  // namespace prof
