// SPDX-License-Identifier: Apache-2.0
//
// The words and numbers of a verdict.
#include "lib/analyzer/rules/rule_evidence.h"

#include <algorithm>

#include "lib/analyzer/base/number_text.h"
#include "lib/analyzer/base/rule_text.h"
#include "lib/analyzer/rules/rule_stalls.h"
#include "lib/analyzer/rules/thresholds.h"

namespace prof::analyzer {

std::string_view NameOf(Unit unit) {
  switch (unit) {
    case Unit::kDram:
      return "DRAM";
    case Unit::kL2:
      return "L2";
    case Unit::kL1:
      return "L1 data path";
    case Unit::kShared:
      return "shared memory";
    case Unit::kTensor:
      return "tensor pipe";
    case Unit::kFma:
      return "FMA pipe";
    case Unit::kAlu:
      return "ALU pipe";
    case Unit::kFp64:
      return "FP64 pipe";
    case Unit::kSfu:
      return "special-function pipe";
    case Unit::kLsu:
      return "load/store pipe";
    case Unit::kIssue:
      return "issue slots";
  }
  return "";
}

std::string Use(const UnitUse& unit) {
  return std::string(NameOf(unit.unit)) + " " + Percent(unit.use) + " of peak";
}

Confidence Judge(const Facts& facts, double winner, double margin, double samples) {
  int level = winner >= kSaturated && margin >= kMargin ? 3 : 2;
  if (facts.duration_ns < kLongEnoughNs) --level;
  if (static_cast<double>(facts.kernel->launches) < kEnoughLaunches || samples < kEnoughLaunches) {
    --level;
  }
  if (!facts.unknown.empty()) --level;
  if (!facts.unstable.empty()) --level;
  return level >= 3 ? Confidence::kHigh : level == 2 ? Confidence::kMedium : Confidence::kLow;
}

double SamplesOf(const Facts& facts, std::string_view metric) {
  const Statistic* value = FindMetric(*facts.kernel, metric);
  return value != nullptr ? static_cast<double>(value->n) : 0;
}

void Say(const Facts& facts, std::string_view label, std::string_view unit, std::string_view metric,
         Verdict* verdict, double scale) {
  const Statistic* value = FindMetric(*facts.kernel, metric);
  if (value == nullptr) return;
  verdict->evidence.push_back(Describe(label, *value, unit, metric, scale));
}

void SayUnit(const Facts& facts, const UnitUse& unit, Verdict* verdict) {
  Say(facts, NameOf(unit.unit), "% of peak", unit.metric, verdict);
}

namespace {

void SayHitRate(const Facts& facts, std::string_view label, std::string_view metric,
                Verdict* verdict) {
  if (Median(*facts.kernel, metric).value_or(101) <= 100) Say(facts, label, "%", metric, verdict);
}

}  // namespace

void SayTraffic(const Facts& facts, Verdict* verdict) {
  Say(facts, "DRAM traffic", "GB/s", "dram__bytes.sum.per_second", verdict, 1e-9);
  Say(facts, "DRAM read", "MB per launch", "dram__bytes_read.sum", verdict, 1e-6);
  Say(facts, "DRAM written", "MB per launch", "dram__bytes_write.sum", verdict, 1e-6);
  SayHitRate(facts, "L2 hit rate", "lts__t_sector_hit_rate.pct", verdict);
}

void SayMemoryAccess(const Facts& facts, Verdict* verdict) {
  SayHitRate(facts, "L1 hit rate", "l1tex__t_sector_hit_rate.pct", verdict);
  SayHitRate(facts, "L2 hit rate", "lts__t_sector_hit_rate.pct", verdict);
  Say(facts, "useful bytes per sector loaded", "of 32",
      "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", verdict);
}

void SayWarps(const Facts& facts, Verdict* verdict) {
  Say(facts, "instructions issued", "per active cycle and scheduler",
      "smsp__issue_active.avg.per_cycle_active", verdict);
  Say(facts, "eligible warps", "per active cycle and scheduler",
      "smsp__warps_eligible.avg.per_cycle_active", verdict);
  Say(facts, "warp slots in use", "%", "sm__warps_active.avg.pct_of_peak_sustained_active",
      verdict);
}

void SayGrid(const Facts& facts, Verdict* verdict) {
  const Occupancy& occupancy = facts.kernel->occupancy;
  std::string text = "grid of " + FormatFixed(facts.blocks, 0) + " blocks";
  if (facts.sm_count > 0) text += " on " + std::to_string(facts.sm_count) + " SMs";
  if (occupancy.known) {
    text += ", " + std::to_string(occupancy.blocks_per_sm) +
            " resident per SM: " + FormatFixed(occupancy.waves, 2) + " waves (launch record)";
  }
  verdict->evidence.push_back(text);
}

void SayActivity(const Facts& facts, Verdict* verdict) {
  Say(facts, "SM active, average", "cycles", "sm__cycles_active.avg", verdict);
  Say(facts, "SM active, busiest", "cycles", "sm__cycles_active.max", verdict);
}

void SayStalls(const Facts& facts, Verdict* verdict) {
  for (size_t i = 0; i < facts.stalls.size() && i < 3; ++i) {
    const Stall& stall = facts.stalls[i];
    if (stall.share <= 0) break;
    const std::string metric = "smsp__average_warps_issue_stalled_" + std::string(stall.reason) +
                               "_per_issue_active.ratio";
    Say(facts,
        std::string(stall.reason) + " " + Percent(stall.share) + " of a warp's time (" +
            std::string(AdviceOn(stall.reason).waits_for) + "),",
        "cycles per instruction", metric, verdict);
  }
}

}  // namespace prof::analyzer
