// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/analyzer/base/integrity.h"
#include "lib/analyzer/base/number_text.h"
#include "lib/analyzer/base/statistics.h"
#include "lib/analyzer/continuous/continuous.h"
#include "lib/analyzer/kernels/counters.h"
#include "lib/analyzer/kernels/flops.h"
#include "lib/analyzer/kernels/kernels.h"
#include "lib/analyzer/kernels/roofline.h"
#include "lib/analyzer/kernels/untraced_launches.h"
#include "lib/analyzer/regions/counted_regions.h"
#include "lib/analyzer/rules/rules.h"
#include "lib/analyzer/time_table.h"
#include "lib/analyzer/timeline/copies.h"
#include "lib/analyzer/timeline/gaps.h"
#include "lib/analyzer/timeline/memory.h"
#include "lib/analyzer/timeline/nvtx.h"
#include "lib/analyzer/timeline/streams.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/format/enums.h"
#include "lib/snapshot/read/reader.h"
#include "prof/analyzer.h"

namespace prof {
namespace {

using analyzer::KernelGroup;
using analyzer::KernelGroups;
using analyzer::Timeline;
using model::Model;

using UntracedTimes = std::map<uint32_t, int64_t>;  // by device: time that only counters know

void SetProcess(const Model& model, Report* report) {
  report->command = model.process.command;
  report->host = model.process.host;
  report->prof_version = model.process.prof_version;
  report->nvidia_driver = model.process.nvidia_driver;
  report->pid = model.process.pid;
  report->rank = model.process.rank;
}

// Counts and times of the whole run. The span of several devices is the sum of theirs, so that
// shares of it add up to one. Where kernels ran that only counters have timed, the timeline has a
// gap, which is prof's and no part of the span; their time is.
void SetTotals(const Model& model, const Timeline& timeline, const UntracedTimes& untraced_ns,
               Report* report) {
  int64_t span_ns = 0, profiler_ns = 0;
  for (const auto& [device, time_ns] : untraced_ns) span_ns += time_ns;
  for (const analyzer::DeviceTimeline& device : timeline.devices) {
    span_ns += device.end_ns - device.start_ns - device.profiler_ns;
    profiler_ns += device.profiler_ns;
  }
  report->span_ns = static_cast<double>(span_ns);
  report->profiler_ns = static_cast<double>(profiler_ns);
  uint64_t cost_ns = 0;
  for (const model::ProfilerInterval& interval : model.profiler_intervals) {
    cost_ns += static_cast<uint64_t>(interval.end_ns - interval.begin_ns);
  }
  report->counter_cost_ns = static_cast<double>(std::max(cost_ns, model.integrity.counter_cost_ns));

  Totals& totals = report->totals;
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
}

// A kernel without counters of its own was counted with the others of its graph or range.
void PointToWhole(const WholeReport& whole, KernelReport* kernel) {
  if (!kernel->metrics.empty()) return;
  std::string& missing = kernel->verdict.missing;
  if (whole.kind == WholeReport::Kind::kRange && !kernel->in_graph) {
    missing = "counters of its own: it was counted with the other work of its range only";
  }
  missing += "; " + analyzer::DescribeWhole(whole);
}

void SetKernelAnswers(const Model& model, double span_ns,
                      const analyzer::CounterNotes& counter_notes, const analyzer::Wholes& wholes,
                      KernelGroups* groups) {
  for (size_t g = 0; g < groups->groups.size(); ++g) {
    KernelReport& kernel = groups->groups[g].report;
    const model::Device* device = model.FindDevice(kernel.device);
    kernel.share = span_ns > 0 ? kernel.total_ns / span_ns : 0;
    std::vector<std::string> notes = counter_notes.of_group[g];
    kernel.flops = analyzer::CountFlops(kernel, device, &notes);
    kernel.roofline = analyzer::ComputeRoofline(kernel, device, &notes);
    // A rate that the roofline found impossible must not reach the rules either.
    if (!kernel.roofline.dram_bytes_per_s) kernel.metrics.erase("dram__bytes.sum.per_second");
    kernel.verdict = analyzer::JudgeKernel(kernel, device);
    for (std::string& note : notes) kernel.verdict.notes.push_back(std::move(note));
    if (wholes.of_group[g] != model::kNoIndex) {
      PointToWhole(wholes.reports[wholes.of_group[g]], &kernel);
    }
  }
}

// The values that the samples of a device's kernels gave for `metric`, as one statistic of the
// kernels' medians.
Statistic OverKernels(const KernelGroups& groups, uint32_t device, const char* metric) {
  std::vector<double> values;
  for (const KernelGroup& group : groups.groups) {
    if (group.device != device) continue;
    if (const std::optional<double> value = group.report.Metric(metric)) values.push_back(*value);
  }
  return analyzer::Summarize(values.begin(), values.end());
}

void SetDevices(const Model& model, const Timeline& timeline, const UntracedTimes& untraced_ns,
                const KernelGroups& groups, Report* report) {
  std::map<uint32_t, DeviceReport> devices;  // described, or seen at work, or both
  for (const model::Device& device : model.devices) {
    DeviceReport& entry = devices[device.id];
    entry.name = device.name;
    entry.chip = device.chip;
    entry.sm_count = device.sm_count;
  }
  for (const analyzer::DeviceTimeline& device : timeline.devices) {
    DeviceReport& entry = devices[device.device];
    const int64_t idle_ns = device.end_ns - device.start_ns - device.busy_ns - device.profiler_ns;
    entry.busy_ns = static_cast<double>(device.busy_ns);
    entry.idle_ns = static_cast<double>(idle_ns);
  }
  for (const auto& [device, time_ns] : untraced_ns) {
    devices[device].busy_ns += static_cast<double>(time_ns);
  }
  for (auto& [id, entry] : devices) {
    entry.id = id;
    entry.sm_clock_hz = OverKernels(groups, id, "gpc__cycles_elapsed.avg.per_second");
    entry.dram_clock_hz = OverKernels(groups, id, "dram__cycles_elapsed.avg.per_second");
    entry.dram_peak_bytes_per_s = analyzer::DramPeak(
        model.FindDevice(id), entry.dram_clock_hz.n > 0 ? entry.dram_clock_hz.median : 0);
    report->devices.push_back(std::move(entry));
  }
}

void SetNotices(const Model& model, const Timeline& timeline, Report* report) {
  for (const model::Notice& notice : model.notices) {
    report->notices.push_back(
        {format::Name(notice.severity), format::Name(notice.subsystem), notice.what, notice.fix});
  }
  if (timeline.devices.size() > 1) {
    report->notices.push_back(
        {format::Name(model::Severity::kInfo), format::Name(model::Subsystem::kTimeline),
         "the span is the sum of the spans of " + std::to_string(timeline.devices.size()) +
             " devices, and shares are of that sum",
         ""});
  }
}

// The gaps' row says what most of them wait for, and the advice of the finding that gains most.
void AdviseOnGaps(Report* report) {
  if (report->rows.empty() || report->rows.back().kind != RangeRow::Kind::kGap) return;
  RangeRow& row = report->rows.back();
  const GapSummary* most = nullptr;
  for (const GapSummary& gap : report->gaps) {
    if (most == nullptr || gap.total_ns > most->total_ns) most = &gap;
  }
  if (most == nullptr || row.time_ns <= 0) return;
  row.evidence += "; " + analyzer::FormatFixed(100 * most->total_ns / row.time_ns, 0) + " % " +
                  ToString(most->cause) + (most->where.empty() ? "" : " at " + most->where);
  row.verdict = "Too little to act on.";
  for (const Finding& finding : report->findings) {
    const bool idle = finding.id == "sync-bound" || finding.id == "launch-bound" ||
                      finding.id == "host-work" || finding.id == "cuda-graph";
    if (!idle || finding.withheld || finding.gain_at_most_ns <= row.gain_at_most_ns) continue;
    row.gain_at_most_ns = finding.gain_at_most_ns;
    row.verdict = finding.action;
  }
}

Report AnalyzeModel(const Model& model) {
  Report report;
  const Timeline timeline = analyzer::BuildTimeline(model);
  const analyzer::RangeFamilies families = analyzer::FindRangeFamilies(model);
  KernelGroups groups = analyzer::GroupKernels(model, families, timeline);
  const analyzer::CounterNotes notes = analyzer::AddCounters(model, &groups);
  const UntracedTimes untraced_ns = analyzer::TimeByCounters(&groups);
  analyzer::Continuous continuous =
      analyzer::AttributeContinuous(model, families, timeline, &groups);
  SetProcess(model, &report);
  SetTotals(model, timeline, untraced_ns, &report);
  analyzer::Wholes wholes = analyzer::BuildWholes(model, families, groups);
  SetKernelAnswers(model, report.span_ns, notes, wholes, &groups);
  SetDevices(model, timeline, untraced_ns, groups, &report);
  SetNotices(model, timeline, &report);
  report.integrity = analyzer::IntegritySentences(model, notes.without_kernel, wholes.without_work);
  report.gaps = analyzer::SummarizeGaps(model, timeline);
  report.copies = analyzer::SummarizeCopies(model);
  report.streams = analyzer::DescribeStreams(model);
  report.nvtx = analyzer::DescribeNvtx(model);
  report.memory = analyzer::SummarizeAllocations(model, families);
  report.memory.unified = analyzer::SummarizeUnifiedMemory(model);

  std::vector<RangeRow> rows =
      analyzer::BuildRows(model, families, timeline, groups, wholes, continuous, report.span_ns);
  for (KernelGroup& group : groups.groups) report.kernels.push_back(std::move(group.report));
  std::stable_sort(
      report.kernels.begin(), report.kernels.end(),
      [](const KernelReport& a, const KernelReport& b) { return a.total_ns > b.total_ns; });
  report.findings = analyzer::FindInRun(model, timeline, report);
  report.rows = std::move(rows);
  report.wholes = std::move(wholes.reports);
  for (WholeReport& whole : report.wholes) {
    whole.share = report.span_ns > 0 ? whole.total_ns / report.span_ns : 0;
  }
  report.continuous = std::move(continuous.reports);
  report.pm_samples_lost = static_cast<int64_t>(model.integrity.pm_samples_lost);
  report.pm_restarts = static_cast<int64_t>(model.integrity.pm_restarts);
  AdviseOnGaps(&report);
  return report;
}

Report Failed(std::string why) {
  Report report;
  report.error = std::move(why);
  return report;
}

}  // namespace

Report Analyze(const Snapshot& snapshot) {
  try {
    const absl::StatusOr<Model> model = ReadSnapshot(snapshot);
    if (!model.ok()) return Failed(std::string(model.status().message()));
    return AnalyzeModel(*model);
  } catch (const std::exception& problem) {  // out of memory, in all likelihood
    return Failed(std::string("the analysis failed: ") + problem.what());
  }
}

}  // namespace prof
