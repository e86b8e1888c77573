// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/time_table.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/kernels/roofline_sum.h"
#include "lib/analyzer/kernels/unit_use.h"
#include "lib/analyzer/rules/verdict_region.h"
#include "lib/analyzer/timeline/copies.h"
#include "lib/analyzer/timeline/graph_launches.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

using model::Op;
using model::OpKind;

// Operations that are not kernels, as one entry per kind of work.
struct OtherSum {
  int64_t exclusive_ns = 0, time_ns = 0, count = 0;
  uint64_t bytes = 0;
};
using OtherKey = std::tuple<OpKind, model::CopyKind, model::MemoryKind, model::MemoryKind>;

struct PathRow {
  uint32_t path = 0;  // the first one of its family
  int64_t exclusive_ns = 0, operations = 0;
  std::vector<size_t> kernels;  // indices of the kernel groups of this family
  std::map<OtherKey, OtherSum> other;
};

// "DRAM 91 % of peak (n=3), L2 23 %, L2 hit 51 %": the two busiest units.
std::string Evidence(const KernelReport& kernel) {
  std::string line = BusiestUnits(kernel.units);
  const std::optional<double> hits = kernel.Metric("lts__t_sectors_lookup_hit.sum");
  const std::optional<double> misses = kernel.Metric("lts__t_sectors_lookup_miss.sum");
  if (hits && misses && *hits + *misses > 0 && !line.empty()) {
    line += ", L2 hit " + text::Fixed(100 * *hits / (*hits + *misses), 0) + " %";
  }
  if (!line.empty()) return line;
  if (!kernel.occupancy.known) return "no counters";
  return "no counters; theoretical occupancy " +
         text::Fixed(100 * kernel.occupancy.theoretical, 0) + " %, " +
         text::Fixed(kernel.occupancy.waves, 1) + " waves";
}

std::string OtherName(const OtherKey& key) {
  if (std::get<0>(key) == OpKind::kMemset) return "memset";
  return "copy, " + DirectionName(std::get<1>(key));
}

std::string OtherEvidence(const OtherKey& key, const OtherSum& work) {
  const auto bytes = static_cast<double>(work.bytes);
  std::string line = text::Plural(work.count, "call, ", "calls, ") + text::Bytes(bytes);
  if (work.time_ns > 0) {
    line += " at " + text::Bytes(bytes / (static_cast<double>(work.time_ns) * 1e-9)) + "/s";
  }
  if (std::get<0>(key) == OpKind::kCopy) {
    line += ", " + MemoryName(std::get<2>(key)) + " to " + MemoryName(std::get<3>(key));
  }
  return line;
}

// The first path of the family in which the work of `path` was launched.
uint32_t LaunchPath(const model::Model& model, const RangeFamilies& families, uint32_t path) {
  const model::RangePath& range = model.paths[path];
  return range.captured != model::kNone ? families.of_path[range.parent] : path;
}

// The counters of a region stand in for those that its kernels do not have.
void UseRegion(const RegionReport& region, RangeRow* row) {
  const Verdict& verdict = region.verdict;
  if (verdict.limiter == Limiter::kNotMeasured) return;
  row->limiter = verdict.limiter;
  row->evidence = DescribeRegion(region);
  row->verdict = verdict.action.empty() ? verdict.summary : verdict.action;
}

RangeRow Finish(const model::Model& model, const TimeTableInputs& inputs, const PathRow& row) {
  RangeRow result;
  result.kind = row.path == 0 ? RangeRow::Kind::kOutside : RangeRow::Kind::kRange;
  result.label = row.path == 0 ? "(no range)" : inputs.families.label[row.path];
  result.time_ns = static_cast<double>(row.exclusive_ns);
  result.operations = row.operations;

  const KernelReport* kernel = nullptr;
  std::vector<const KernelReport*> kernels;
  int64_t most_ns = -1;
  for (const size_t g : row.kernels) {
    kernels.push_back(&inputs.kernels[g]);
    const int64_t exclusive_ns = inputs.groups.groups[g].exclusive_ns;
    if (exclusive_ns <= most_ns) continue;
    most_ns = exclusive_ns;
    kernel = &inputs.kernels[g];
  }
  result.roofline = SumRooflines(kernels);
  const std::pair<const OtherKey, OtherSum>* other = nullptr;
  for (const auto& entry : row.other) {
    if (entry.second.exclusive_ns <= most_ns) continue;
    most_ns = entry.second.exclusive_ns;
    other = &entry;
  }
  if (other != nullptr) {
    result.dominant = OtherName(other->first);
    result.evidence = OtherEvidence(other->first, other->second);
  } else if (kernel != nullptr) {
    const Verdict& verdict = kernel->verdict;
    result.dominant = kernel->name;
    // Of the kernel whose action stands beside it: gains of other kernels belong to other actions.
    result.gain_at_most_ns = verdict.gain_at_most * static_cast<double>(most_ns);
    result.limiter = verdict.limiter;
    result.evidence = Evidence(*kernel);
    result.verdict = verdict.action.empty() ? verdict.summary : verdict.action;
    const auto region =
        inputs.counted_regions.of_path.find(LaunchPath(model, inputs.families, row.path));
    if (verdict.limiter == Limiter::kNotMeasured &&
        region != inputs.counted_regions.of_path.end()) {
      UseRegion(inputs.regions[region->second], &result);
    }
  }
  return result;
}

// The cause of most of the idle time, and the advice of the finding that gains most.
void AddAdvice(const TimeTableInputs& inputs, RangeRow* row) {
  const GapSummary* most = nullptr;
  for (const GapSummary& gap : inputs.gaps) {
    if (most == nullptr || gap.total_ns > most->total_ns) most = &gap;
  }
  if (most == nullptr || row->time_ns <= 0) return;
  row->evidence += "; " + text::Fixed(100 * most->total_ns / row->time_ns, 0) + " % " +
                   ToString(most->cause) + (most->where.empty() ? "" : " at " + most->where);
  row->verdict = "No cause of idle time has " + text::Percent(kIdleShare) + " of the span.";
  for (const Finding& finding : inputs.findings) {
    const bool idle = finding.kind == GainKind::kIdleTime;
    if (!idle || finding.withheld || finding.gain_at_most_ns <= row->gain_at_most_ns) continue;
    row->gain_at_most_ns = finding.gain_at_most_ns;
    row->verdict = finding.action;
  }
}

RangeRow GapRow(const TimeTableInputs& inputs) {
  RangeRow row;
  row.kind = RangeRow::Kind::kGap;
  row.label = "gaps";
  int64_t total_ns = 0, longest_ns = 0;
  for (const DeviceTimeline& device : inputs.timeline.devices) {
    for (const Gap& gap : device.gaps) {
      if (gap.cause == GapCause::kProfiler) continue;
      ++row.instances;
      total_ns += gap.undisturbed_ns();
      longest_ns = std::max(longest_ns, gap.undisturbed_ns());
    }
  }
  row.time_ns = static_cast<double>(total_ns);
  if (row.instances != 0) {
    row.evidence = "longest " + text::Time(static_cast<double>(longest_ns));
  }
  row.continuous = inputs.continuous.idle;
  AddAdvice(inputs, &row);
  return row;
}

// "samples 1.20 s, preparation 300 ms": what prof did meanwhile, on all threads.
std::string ProfilerEvidence(const model::Model& model, const TimeTableInputs& inputs) {
  using model::ProfilerWork;
  std::map<ProfilerWork, int64_t> times_ns;
  for (const model::ProfilerInterval& interval : model.profiler_intervals) {
    times_ns[interval.work] += interval.end_ns - interval.begin_ns;
  }
  std::string line;
  for (const auto& [work, name] : {std::pair(ProfilerWork::kSetup, "preparation"),
                                   std::pair(ProfilerWork::kRotate, "changes of counters"),
                                   std::pair(ProfilerWork::kSample, "samples")}) {
    if (times_ns[work] == 0) continue;
    line += (line.empty() ? "on the host: " : ", ") + std::string(name) + ' ' +
            text::Time(static_cast<double>(times_ns[work]));
  }
  int64_t graphs_ns = 0;
  for (const GraphLaunchHold& hold : GraphLaunchHolds(model)) {
    graphs_ns += hold.time.end_ns - hold.time.start_ns;
  }
  if (graphs_ns > 0) {
    line += (line.empty() ? "on the host: " : ", ") + std::string("nodes of graphs about ") +
            text::Time(static_cast<double>(graphs_ns));
  }
  if (inputs.paused_ns <= 0) return line;
  return "paused " + text::Time(inputs.paused_ns) + (line.empty() ? "" : "; ") + line;
}

std::string ProfilerLabel(const model::Model& model, const TimeTableInputs& inputs) {
  std::string work = model.profiler_intervals.empty() ? "tracing" : "sampling";
  if (inputs.paused_ns >= inputs.profiler_ns) {
    work = "paused";
  } else if (inputs.paused_ns > 0) {
    work += ", paused";
  }
  return "prof (" + work + ")";
}

RangeRow ProfilerRow(const model::Model& model, const TimeTableInputs& inputs) {
  RangeRow row;
  row.kind = RangeRow::Kind::kProfiler;
  row.label = ProfilerLabel(model, inputs);
  row.time_ns = inputs.profiler_ns;
  row.share = inputs.profiler_ns / (inputs.undisturbed_ns + inputs.profiler_ns);
  row.evidence = ProfilerEvidence(model, inputs);
  row.verdict = "Not the program's: no evidence for shares and findings.";
  return row;
}

// The operations and kernels of each path, in the order of first appearance.
std::vector<PathRow> GroupByPath(const model::Model& model, const TimeTableInputs& inputs) {
  std::vector<PathRow> rows;
  constexpr size_t kNoRow = static_cast<size_t>(-1);
  std::vector<size_t> row_of_path(model.paths.size(), kNoRow);
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const Op& op = model.ops[i];
    const uint32_t path = inputs.families.of_path[op.path];
    if (row_of_path[path] == kNoRow) {
      row_of_path[path] = rows.size();
      rows.emplace_back().path = path;
    }
    PathRow& row = rows[row_of_path[path]];
    const int64_t exclusive_ns = inputs.timeline.exclusive_ns[i];
    row.exclusive_ns += exclusive_ns;
    ++row.operations;
    if (RunsKernels(op)) continue;
    OtherSum& work = row.other[{op.kind, op.copy, op.source, op.destination}];
    work.exclusive_ns += exclusive_ns;
    if (op.timed) work.time_ns += op.end_ns - op.start_ns;
    work.bytes += op.bytes;
    ++work.count;
  }
  for (size_t g = 0; g < inputs.groups.groups.size(); ++g) {
    const KernelGroup& group = inputs.groups.groups[g];
    PathRow& row = rows[row_of_path[group.path]];
    row.kernels.push_back(g);
    if (group.launches.duration_from_counters) row.exclusive_ns += group.exclusive_ns;
  }
  return rows;
}

}  // namespace

std::vector<RangeRow> BuildRows(const model::Model& model, const TimeTableInputs& inputs) {
  std::vector<int64_t> entered(model.paths.size());
  for (const model::RangeInstance& instance : model.instances) {
    ++entered[inputs.families.of_path[instance.path]];
  }
  std::vector<RangeRow> result;
  for (const PathRow& row : GroupByPath(model, inputs)) {
    RangeRow& finished = result.emplace_back(Finish(model, inputs, row));
    // The work of a graph is in the range of its launch, which was entered as often.
    const uint32_t range = LaunchPath(model, inputs.families, row.path);
    if (range != 0) finished.instances = entered[range];
    const auto values = inputs.continuous.of_path.find(row.path);
    if (values != inputs.continuous.of_path.end()) finished.continuous = values->second;
  }
  if (!result.empty()) result.push_back(GapRow(inputs));
  for (RangeRow& row : result) {
    row.share = inputs.undisturbed_ns > 0 ? row.time_ns / inputs.undisturbed_ns : 0;
  }
  if (inputs.profiler_ns > 0) result.push_back(ProfilerRow(model, inputs));
  return result;
}

}  // namespace prof::analyzer
