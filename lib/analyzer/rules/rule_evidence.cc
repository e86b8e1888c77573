// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/rule_evidence.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "lib/analyzer/base/metrics.h"
#include "lib/analyzer/base/rule_text.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/continuous/pm_units.h"
#include "lib/analyzer/kernels/unit_metrics.h"
#include "lib/analyzer/rules/rule_access.h"
#include "lib/analyzer/rules/rule_stalls.h"
#include "lib/format/metric_names.h"
#include "lib/format/waiting_kernels.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::analyzer {

std::string NameOf(Unit unit) { return std::string(NamesOf(unit).name); }

std::string PercentOf(const UnitUse& unit) {
  if (unit.source != Source::kPmSamples) return text::Percent(unit.of_peak);
  return text::Fixed(100 * unit.of_peak, 1) + " +-" + text::Fixed(100 * unit.error, 1) + " %";
}

std::string DescribeUse(const UnitUse& unit) {
  return NameOf(unit.unit) + " " + PercentOf(unit) + " of peak";
}

std::string WayTo(const RuleInputs& inputs, format::Needs needs) {
  std::string longer = "record for longer";
  const std::string level = "--counters " + std::string(format::LevelFor(needs));
  if (inputs.kernel == nullptr) return longer + ", or with " + level;
  if (format::WaitsForOthers(inputs.kernel->full_name.c_str())) return longer;
  if (!inputs.kernel->in_graph) return longer + ", or with " + level;
  return needs == format::kNeedsUse ? longer : level;
}

std::string MissingUses(const RuleInputs& inputs) {
  // A kernel that may wait for others is never counted.
  const bool has_samples = inputs.kernel != nullptr && !inputs.kernel->continuous.empty() &&
                           !format::WaitsForOthers(inputs.kernel->full_name.c_str());
  std::vector<std::string_view> to_come, never;
  for (const UnitName& name : kUnitNames) {
    const auto& unknown = inputs.unknown;
    if (std::find(unknown.begin(), unknown.end(), name.heading) == unknown.end()) continue;
    const bool comes = !has_samples || HasPmMetric(inputs.kernel->continuous, name.unit);
    (comes ? to_come : never).push_back(name.heading);
  }
  std::string missing;
  if (!to_come.empty()) {
    missing =
        "the use of " + text::Enumerate(to_come) + " (" + WayTo(inputs, format::kNeedsUse) + ")";
  }
  if (!never.empty()) {
    missing += (missing.empty() ? "the use of " : ", and of ") + text::Enumerate(never) +
               ", which PM sampling did not read here (--counters " +
               std::string(format::LevelFor(format::kNeedsUse)) + ")";
  }
  return missing;
}

namespace {

void AddPmUse(std::string_view label, std::string_view of, const UnitUse& use, Verdict* verdict) {
  std::string line(label);
  line += " " + PercentOf(use);
  line.append(of).append(" (PM samples: ").append(text::Count(use.n));
  line += " in " + text::Plural(use.launches, "launch", "launches") + "; " + use.metric + ")";
  verdict->evidence.push_back(std::move(line));
}

}  // namespace

void AddMetric(const RuleInputs& inputs, std::string_view label, std::string_view unit,
               std::string_view metric, Verdict* verdict, double scale) {
  const Statistic* const value = FindUsable(inputs.counters->metrics, metric);
  if (value == nullptr) return;
  verdict->evidence.push_back(Describe(label, *value, unit, metric, scale));
}

void AddUnit(const RuleInputs& inputs, const UnitUse& unit, Verdict* verdict) {
  if (unit.source == Source::kPmSamples) {
    AddPmUse(NameOf(unit.unit), " of peak", unit, verdict);
  } else {
    AddMetric(inputs, NameOf(unit.unit), "% of peak", unit.metric, verdict);
  }
}

void AddBusiestUnits(const RuleInputs& inputs, Verdict* verdict) {
  for (size_t i = 0; i < inputs.units().size() && i < 3; ++i) {
    AddUnit(inputs, inputs.units()[i], verdict);
  }
}

void AddMissingPmValues(const RuleInputs& inputs, Verdict* verdict) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const auto& [metric, value] : inputs.kernel->continuous) {
    if (!value.value) by_reason[value.missing].push_back(metric);
  }
  for (const auto& [reason, metrics] : by_reason) {
    std::string line = metrics.size() == 1
                           ? metrics[0]
                           : text::Count(static_cast<int64_t>(metrics.size())) + " metrics";
    line.append(": no value from PM samples, ").append(reason);
    verdict->evidence.push_back(std::move(line));
  }
}

namespace {

// A rate above 100 % came from two passes that disagree.
void AddHitRate(const RuleInputs& inputs, std::string_view label, std::string_view metric,
                Verdict* verdict) {
  if (inputs.Median(metric).value_or(101) <= 100) AddMetric(inputs, label, "%", metric, verdict);
}

// L2's own rate takes many passes; its two halves are counts of one.
void AddL2Hits(const RuleInputs& inputs, Verdict* verdict) {
  if (!inputs.l2_hits) {
    AddHitRate(inputs, "L2 hit rate", "lts__t_sector_hit_rate.pct", verdict);
    return;
  }
  const double n = inputs.SamplesOf("lts__t_sectors_lookup_hit.sum");
  verdict->evidence.push_back(
      "L2 hit rate " + text::Fixed(100 * *inputs.l2_hits, 1) +
      " % (lts__t_sectors_lookup_hit.sum of hits and misses; n=" + text::Fixed(n, 0) + ")");
}

}  // namespace

void AddTraffic(const RuleInputs& inputs, Verdict* verdict) {
  AddMetric(inputs, "DRAM traffic", "GB/s", format::kDramRateMetric, verdict, 1e-9);
  AddMetric(inputs, "DRAM read", "MB per launch", "dram__bytes_read.sum", verdict, 1e-6);
  AddMetric(inputs, "DRAM written", "MB per launch", "dram__bytes_write.sum", verdict, 1e-6);
  AddL2Hits(inputs, verdict);
}

void AddMemoryAccess(const RuleInputs& inputs, Verdict* verdict) {
  AddHitRate(inputs, "L1 hit rate", "l1tex__t_sector_hit_rate.pct", verdict);
  AddL2Hits(inputs, verdict);
  if (LoadsNothing(inputs)) {
    AddMetric(inputs, "stored", "sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
              verdict);
    return;
  }
  AddMetric(inputs, "useful bytes per sector loaded", "of 32",
            "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", verdict);
}

namespace {

// Warps are of the whole device and of elapsed time, occupancy is of the SMs that were active.
void AddPmWarps(const RuleInputs& inputs, Verdict* verdict) {
  if (inputs.Median("sm__warps_active.avg.pct_of_peak_sustained_active")) return;
  const std::optional<UnitUse> warps =
      FindPmUse(inputs.kernel->continuous, format::TriageUnit::kWarps);
  if (!warps || !inputs.achieved_occupancy) return;
  AddPmUse("warp slots in use", " of those of all SMs", *warps, verdict);
  verdict->evidence.back() +=
      ", " + text::Percent(*inputs.achieved_occupancy) + " of those of the SMs that were active";
}

}  // namespace

void AddWarps(const RuleInputs& inputs, Verdict* verdict) {
  AddMetric(inputs, "instructions issued", "per active cycle and scheduler",
            "smsp__issue_active.avg.per_cycle_active", verdict);
  AddMetric(inputs, "eligible warps", "per active cycle and scheduler",
            "smsp__warps_eligible.avg.per_cycle_active", verdict);
  AddMetric(inputs, "warp slots in use", "%", "sm__warps_active.avg.pct_of_peak_sustained_active",
            verdict);
  if (inputs.kernel != nullptr) AddPmWarps(inputs, verdict);
}

void AddGrid(const RuleInputs& inputs, Verdict* verdict) {
  const Occupancy& occupancy = inputs.kernel->occupancy;
  std::string text = "grid of " + text::Fixed(inputs.blocks, 0) + " blocks";
  if (inputs.sm_count > 0) text += " on " + std::to_string(inputs.sm_count) + " SMs";
  if (occupancy.known) {
    text += ", " + std::to_string(occupancy.blocks_per_sm) +
            " resident per SM: " + text::Fixed(occupancy.waves, 2) + " waves (launch record)";
  }
  verdict->evidence.push_back(text);
}

void AddActivity(const RuleInputs& inputs, Verdict* verdict) {
  AddMetric(inputs, "SM active, average", "cycles", "sm__cycles_active.avg", verdict);
  AddMetric(inputs, "SM active, busiest", "cycles", "sm__cycles_active.max", verdict);
  if (inputs.pm_active) {
    AddPmUse("SM active", " of the time, average over SMs", *inputs.pm_active, verdict);
  }
}

void AddStalls(const RuleInputs& inputs, Verdict* verdict) {
  for (size_t i = 0; i < inputs.stalls.size() && i < 3; ++i) {
    const Stall& stall = inputs.stalls[i];
    if (stall.share <= 0) break;
    const std::string metric = "smsp__average_warps_issue_stalled_" + std::string(stall.reason) +
                               "_per_issue_active.ratio";
    AddMetric(inputs,
              std::string(stall.reason) + " " + text::Percent(stall.share) + " of a warp's time (" +
                  std::string(AdviceOn(stall.reason).waits_for) + "),",
              "cycles per instruction", metric, verdict);
  }
}

}  // namespace prof::analyzer
