// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/time_table.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "lib/analyzer/base/number_text.h"
#include "lib/analyzer/timeline/copies.h"

namespace prof::analyzer {
namespace {

using model::Op;
using model::OpKind;

// Operations that are not kernels, as one entry per kind of work.
struct OtherWork {
  int64_t exclusive_ns = 0, time_ns = 0, count = 0;
  uint64_t bytes = 0;
};
using OtherKey = std::tuple<OpKind, model::CopyKind, model::MemoryKind, model::MemoryKind>;

struct Row {
  uint32_t path = 0;  // the first one of its family
  int64_t exclusive_ns = 0, operations = 0;
  std::vector<const KernelGroup*> kernels;  // those of this family
  std::map<OtherKey, OtherWork> other;
};

// "DRAM 91 % of peak (n=3), L2 23 %, L2 hit 51 %": the two busiest units.
std::string Evidence(const KernelReport& kernel) {
  std::string line = BusiestUnits(kernel);
  if (const std::optional<double> hit = kernel.Metric("lts__t_sector_hit_rate.pct");
      hit && !line.empty()) {
    line += ", L2 hit " + FormatFixed(*hit, 0) + " %";
  }
  if (!line.empty()) return line;
  if (std::string sampled = DescribeContinuous(kernel.continuous); !sampled.empty()) {
    return sampled;
  }
  if (!kernel.occupancy.known) return "no counters";
  return "no counters; theoretical occupancy " +
         FormatFixed(100 * kernel.occupancy.theoretical, 0) + " %, " +
         FormatFixed(kernel.occupancy.waves, 1) + " waves";
}

std::string OtherName(const OtherKey& key) {
  if (std::get<0>(key) == OpKind::kMemset) return "memset";
  return "copy, " + DirectionName(std::get<1>(key));
}

std::string OtherEvidence(const OtherKey& key, const OtherWork& work) {
  const auto bytes = static_cast<double>(work.bytes);
  std::string line =
      Plural(static_cast<uint64_t>(work.count), "call, ", "calls, ") + FormatBytes(bytes);
  if (work.time_ns > 0) {
    line += " at " + FormatBytes(bytes / (static_cast<double>(work.time_ns) * 1e-9)) + "/s";
  }
  if (std::get<0>(key) == OpKind::kCopy) {
    line += ", " + MemoryName(std::get<2>(key)) + " to " + MemoryName(std::get<3>(key));
  }
  return line;
}

// The counters of a graph or range stand in for those that its kernels do not have.
void UseWhole(const WholeReport& whole, RangeRow* row) {
  const Verdict& verdict = whole.verdict;
  if (verdict.limiter == Limiter::kNotMeasured) return;
  row->limiter = verdict.limiter;
  row->evidence = DescribeWhole(whole);
  row->verdict = verdict.action.empty() ? verdict.summary : verdict.action;
}

RangeRow Finish(const model::Model& model, const RangeFamilies& families, const Wholes& wholes,
                const Row& row) {
  RangeRow result;
  result.kind = row.path == 0 ? RangeRow::Kind::kOutside : RangeRow::Kind::kRange;
  result.label = row.path == 0 ? "(no range)" : families.label[row.path];
  result.time_ns = static_cast<double>(row.exclusive_ns);
  result.operations = row.operations;

  const KernelReport* kernel = nullptr;
  int64_t most_ns = -1;
  for (const KernelGroup* group : row.kernels) {
    result.gain_at_most_ns +=
        group->report.verdict.gain_at_most * static_cast<double>(group->exclusive_ns);
    if (group->exclusive_ns <= most_ns) continue;
    most_ns = group->exclusive_ns;
    kernel = &group->report;
  }
  const std::pair<const OtherKey, OtherWork>* other = nullptr;
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
    result.limiter = verdict.limiter;
    result.evidence = Evidence(*kernel);
    result.verdict = verdict.action.empty() ? verdict.summary : verdict.action;
    const model::RangePath& path = model.paths[row.path];
    const auto whole = wholes.of_path.find(
        path.captured != model::kNone ? families.of_path[path.parent] : row.path);
    if (verdict.limiter == Limiter::kNotMeasured && whole != wholes.of_path.end()) {
      UseWhole(wholes.reports[whole->second], &result);
    }
  }
  return result;
}

RangeRow GapRow(const Timeline& timeline) {
  RangeRow row;
  row.kind = RangeRow::Kind::kGap;
  row.label = "gaps";
  int64_t total_ns = 0, longest_ns = 0;
  for (const DeviceTimeline& device : timeline.devices) {
    for (const Gap& gap : device.gaps) {
      if (gap.cause == GapCause::kProfiler) continue;
      ++row.instances;
      total_ns += gap.end_ns - gap.start_ns;
      longest_ns = std::max(longest_ns, gap.end_ns - gap.start_ns);
    }
  }
  row.time_ns = static_cast<double>(total_ns);
  if (row.instances != 0) {
    row.evidence = "longest " + FormatNs(static_cast<double>(longest_ns));
  }
  return row;
}

}  // namespace

std::vector<RangeRow> BuildRows(const model::Model& model, const RangeFamilies& families,
                                const Timeline& timeline, const KernelGroups& kernels,
                                const Wholes& wholes, const Continuous& continuous,
                                double span_ns) {
  std::vector<Row> rows;
  constexpr size_t kNoRow = static_cast<size_t>(-1);
  std::vector<size_t> row_of_path(model.paths.size(), kNoRow);
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const Op& op = model.ops[i];
    const uint32_t path = families.of_path[op.path];
    if (row_of_path[path] == kNoRow) {
      row_of_path[path] = rows.size();
      rows.emplace_back().path = path;
    }
    Row& row = rows[row_of_path[path]];
    const int64_t exclusive_ns = timeline.exclusive_ns[i];
    row.exclusive_ns += exclusive_ns;
    ++row.operations;
    if (RunsKernels(op)) continue;
    OtherWork& work = row.other[{op.kind, op.copy, op.source, op.destination}];
    work.exclusive_ns += exclusive_ns;
    if (op.timed) work.time_ns += op.end_ns - op.start_ns;
    work.bytes += op.bytes;
    ++work.count;
  }
  for (const KernelGroup& group : kernels.groups) {
    Row& row = rows[row_of_path[group.path]];
    row.kernels.push_back(&group);
    if (group.report.duration_from_counters) row.exclusive_ns += group.exclusive_ns;
  }
  std::vector<int64_t> entered(model.paths.size());
  for (const model::RangeInstance& instance : model.instances) {
    ++entered[families.of_path[instance.path]];
  }

  std::vector<RangeRow> result;
  for (const Row& row : rows) {
    result.push_back(Finish(model, families, wholes, row));
    // What a graph launched was in no range of its own: as often as the launch's range.
    const model::RangePath& path = model.paths[row.path];
    const uint32_t range = path.captured != model::kNone ? families.of_path[path.parent] : row.path;
    if (range != 0) result.back().instances = entered[range];
    const auto values = continuous.of_path.find(row.path);
    if (values != continuous.of_path.end()) result.back().continuous = values->second;
  }
  if (!rows.empty()) {
    result.push_back(GapRow(timeline));
    result.back().continuous = continuous.idle;
  }
  for (RangeRow& row : result) row.share = span_ns > 0 ? row.time_ns / span_ns : 0;
  return result;
}

}  // namespace prof::analyzer
