// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/regions/counted_regions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "lib/analyzer/base/number_text.h"
#include "lib/analyzer/base/statistics.h"
#include "lib/analyzer/kernels/counter_window.h"
#include "lib/analyzer/kernels/samples.h"
#include "lib/analyzer/regions/region_work.h"
#include "lib/analyzer/rules/rules.h"
#include "lib/analyzer/timeline/copies.h"

namespace prof::analyzer {
namespace {

using model::kNoIndex;
using model::Model;

// The time that the counters of a whole are related to. The operations of a graph follow each other
// by themselves, so the time between them is the graph's. What is between those of a range is the
// host's, and while counters run there is more of it than otherwise.
int64_t WorkNs(const Whole& whole, const WholeRun& run) {
  return whole.graph != 0 ? run.end_ns - run.start_ns : run.busy_ns;
}

void SetTimes(const Whole& whole, WholeReport* report) {
  const bool undisturbed = std::any_of(whole.runs.begin(), whole.runs.end(),
                                       [](const WholeRun& r) { return r.ops > 0 && !r.disturbed; });
  std::vector<int64_t> work, host;
  for (const WholeRun& run : whole.runs) {
    if (run.ops == 0) continue;
    ++report->instances;
    report->device = run.device;
    report->total_ns += static_cast<double>(WorkNs(whole, run));
    if (undisturbed && run.disturbed) continue;
    work.push_back(WorkNs(whole, run));
    if (whole.graph == 0) host.push_back(run.host_end_ns - run.host_start_ns);
  }
  report->duration_ns = Summarize(work.begin(), work.end());
  report->host_ns = Summarize(host.begin(), host.end());
}

void SetParts(const Model& model, const KernelGroups& groups, const Whole& whole,
              WholeReport* report) {
  std::map<std::string, WholePart> parts;  // a kernel's signatures are one part: their sum
  double all_ns = 0;
  for (const auto& [part, ops] : whole.parts) {
    const model::Op& op = model.ops[ops.example];
    std::string name = "memset";
    if (part >= 0) {
      name = groups.groups[part].report.name;
    } else if (op.kind == model::OpKind::kCopy) {
      name = "copy, " + DirectionName(op.copy);
    }
    WholePart& entry = parts[name];
    entry.per_instance += static_cast<double>(ops.count);
    entry.time_ns += static_cast<double>(ops.time_ns);
    all_ns += static_cast<double>(ops.time_ns);
  }
  const auto instances = static_cast<double>(std::max<int64_t>(1, report->instances));
  for (auto& [name, part] : parts) {
    part.name = name;
    part.share = all_ns > 0 ? part.time_ns / all_ns : 0;
    part.per_instance /= instances;
    part.time_ns /= instances;
    report->parts.push_back(std::move(part));
  }
  std::stable_sort(report->parts.begin(), report->parts.end(),
                   [](const WholePart& a, const WholePart& b) { return a.time_ns > b.time_ns; });
}

void SetCounters(const Model& model, const SampleCombiner& combiner, const Whole& whole,
                 WholeReport* report, int64_t* without_work) {
  std::vector<WorkSample> samples;
  std::vector<double> windows_ns;
  for (const auto& [sample, run, alone] : whole.samples) {
    const double window_ns = ValueOf(model, *sample, kWindow);
    if (std::isfinite(window_ns)) windows_ns.push_back(window_ns);
    if (run == kNoIndex || whole.runs[run].ops == 0) {
      ++*without_work;
      ++report->samples_rejected;
    } else if (!alone) {
      ++report->samples_rejected;
    } else {
      const auto work_ns = static_cast<double>(WorkNs(whole, whole.runs[run]));
      samples.push_back({sample, WindowOverWork(window_ns, work_ns)});
    }
  }
  CombinedSamples combined = combiner.Combine(samples);
  report->counted_ns = Summarize(windows_ns.begin(), windows_ns.end());
  report->metrics = std::move(combined.metrics);
  report->speed_of_light = std::move(combined.speed_of_light);
  report->samples_used = combined.used;
  report->samples_rejected += combined.at_other_clock;
  report->verdict.notes = std::move(combined.notes);
}

WholeReport Build(const Model& model, const RangeFamilies& families, const KernelGroups& groups,
                  const SampleCombiner& combiner, const Whole& whole, int64_t* without_work) {
  WholeReport report;
  report.graph = whole.graph;
  report.range = families.label[whole.path];
  if (whole.graph == 0) {
    report.kind = WholeReport::Kind::kRange;
    report.label = report.range;
  } else {
    report.label = "CUDA graph " + std::to_string(whole.graph);
    if (!report.range.empty()) report.label += " in " + report.range;
  }
  SetTimes(whole, &report);
  SetParts(model, groups, whole, &report);
  SetCounters(model, combiner, whole, &report, without_work);
  std::vector<std::string> notes = std::move(report.verdict.notes);
  report.verdict = JudgeWhole(report, model.FindDevice(report.device));
  for (std::string& note : notes) report.verdict.notes.push_back(std::move(note));
  return report;
}

constexpr struct {
  const char* label;
  const char* metric;
} kUnits[] = {
    {"DRAM", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"},
    {"L2", "lts__t_sectors.avg.pct_of_peak_sustained_elapsed"},
    {"L1", "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed"},
    {"tensor", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {"FMA", "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {"ALU", "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {"FP64", "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed"},
    {"SFU", "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_elapsed"},
    {"issue", "sm__issue_active.avg.pct_of_peak_sustained_elapsed"},
};

}  // namespace

Wholes BuildWholes(const Model& model, const RangeFamilies& families, const KernelGroups& groups) {
  Wholes wholes;
  wholes.of_group.resize(groups.groups.size(), kNoIndex);
  std::vector<Whole> work = FindWholes(model, families, groups, &wholes.without_work);
  if (work.empty()) return wholes;
  const SampleCombiner combiner(model);
  std::vector<std::pair<WholeReport, const Whole*>> built;
  built.reserve(work.size());
  for (const Whole& whole : work) {
    built.emplace_back(Build(model, families, groups, combiner, whole, &wholes.without_work),
                       &whole);
  }
  std::stable_sort(built.begin(), built.end(), [](const auto& a, const auto& b) {
    return a.first.total_ns > b.first.total_ns;
  });
  std::vector<int64_t> most_ns(groups.groups.size(), -1);
  for (auto& [report, whole] : built) {
    const auto index = static_cast<int32_t>(wholes.reports.size());
    for (const auto& [part, ops] : whole->parts) {
      if (part < 0 || ops.time_ns <= most_ns[part]) continue;
      most_ns[part] = ops.time_ns;
      wholes.of_group[part] = index;
    }
    wholes.of_path.try_emplace(whole->path, index);  // the one with most time comes first
    wholes.reports.push_back(std::move(report));
  }
  return wholes;
}

std::string BusiestUnits(const KernelReport& kernel) {
  std::vector<std::pair<double, size_t>> busy;
  for (size_t i = 0; i < std::size(kUnits); ++i) {
    if (const std::optional<double> value = kernel.Metric(kUnits[i].metric)) {
      busy.emplace_back(-*value, i);
    }
  }
  std::sort(busy.begin(), busy.end());
  std::string line;
  for (size_t i = 0; i < std::min<size_t>(busy.size(), 2); ++i) {
    const auto& unit = kUnits[busy[i].second];
    const auto n = static_cast<uint64_t>(kernel.metrics.find(unit.metric)->second.n);
    line += (i == 0 ? "" : ", ") + std::string(unit.label) + ' ' + FormatFixed(-busy[i].first, 0) +
            " %";
    if (i == 0) line += " of peak (n=" + FormatCount(n) + ')';
  }
  return line;
}

KernelReport AsKernel(const WholeReport& whole) {
  KernelReport kernel;
  kernel.name = whole.label;
  kernel.device = whole.device;
  kernel.launches = whole.instances;
  kernel.duration_ns = whole.duration_ns;
  kernel.total_ns = whole.total_ns;
  kernel.metrics = whole.metrics;
  return kernel;
}

std::string DescribeWhole(const WholeReport& whole) {
  const bool graph = whole.kind == WholeReport::Kind::kGraph;
  const std::string what = graph ? "the graph" : "the range " + whole.label;
  const std::string busiest = BusiestUnits(AsKernel(whole));
  return what + " as a whole: " + (busiest.empty() ? "no usable sample" : busiest);
}

}  // namespace prof::analyzer
