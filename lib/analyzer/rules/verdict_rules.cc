// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/verdict_rules.h"

#include <algorithm>
#include <cmath>

#include "lib/analyzer/base/rule_text.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/rules/rule_evidence.h"
#include "lib/analyzer/rules/rule_notes.h"
#include "lib/analyzer/rules/verdict_latency.h"
#include "lib/analyzer/rules/verdict_region.h"
#include "lib/analyzer/rules/verdict_units.h"
#include "lib/format/depth.h"
#include "lib/format/metric_names.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::analyzer {
namespace {

bool LaunchSized(const RuleInputs& inputs) {
  return inputs.duration_ns > 0 && inputs.duration_ns < kLaunchSizedNs &&
         !inputs.kernel->whole_graph;
}

// The duration of a launch-sized kernel decides without any unit.
bool NotMeasured(const RuleInputs& inputs) { return !inputs.measured && !LaunchSized(inputs); }

void FillNotMeasured(const RuleInputs& inputs, Verdict* verdict) {
  const KernelReport& kernel = *inputs.kernel;
  verdict->summary = kernel.whole_graph
                         ? "It is a CUDA graph that was recorded without its kernels."
                         : "Neither counters nor PM samples have a value of this kernel.";
  if (kernel.samples_rejected > 0) {
    verdict->missing = "a sample of this kernel alone: all " +
                       std::to_string(kernel.samples_rejected) +
                       " overlapped other GPU work or were taken at another clock";
  } else if (kernel.whole_graph) {
    verdict->missing =
        "its nodes: the graph was recorded as a whole, as requested; record it by node to see "
        "its kernels";
  } else if (kernel.in_graph) {
    verdict->missing =
        "PM samples of it (record for longer), or counters outside of the graph: CUPTI does not "
        "count the kernels of a CUDA graph one by one";
  } else if (!kernel.metrics.empty()) {
    verdict->missing = "a usable value: no throughput counter has a finite one";
  } else {
    verdict->missing =
        "counters or PM samples: they were off, or the recording was too short for any of this "
        "signature";
  }
  AddMissingPmValues(inputs, verdict);
}

void FillLaunchSized(const RuleInputs& inputs, Verdict* verdict) {
  verdict->summary = "It runs for " + text::Time(inputs.duration_ns) +
                     " only: launching it, filling and draining the GPU dominate.";
  if (inputs.leader && inputs.leader->of_peak >= kBusy) {
    verdict->summary += " Its busiest unit is " + DescribeUse(*inputs.leader) + ".";
  }
  const Statistic& duration = inputs.kernel->duration_ns;
  if (duration.n > 0 && !inputs.kernel->duration_from_counters) {
    verdict->evidence.push_back(Describe("duration", duration, "us", "timeline", 1e-3));
  } else {
    AddMetric(inputs, "duration", "us", format::kWindowMetric, verdict, 1e-3);
  }
  AddBusiestUnits(inputs, verdict);
  AddGrid(inputs, verdict);
  verdict->action =
      "Merge it with its neighbours, batch more work into one launch, or launch the sequence as a "
      "CUDA graph.";
  verdict->gain_at_most = 1;
  verdict->gain_formula = "all of it, if another kernel does its work on the way";
  verdict->confidence = Confidence::kLow;
}

bool Always(const RuleInputs&) { return true; }

void FillUnknown(const RuleInputs& inputs, Verdict* verdict) {
  verdict->confidence = Confidence::kLow;
  AddBusiestUnits(inputs, verdict);
  AddStalls(inputs, verdict);
  AddWarps(inputs, verdict);
  if (!inputs.unknown.empty()) {
    verdict->summary = "Not all units were measured, and none of the others is busy.";
    verdict->missing = MissingUses(inputs);
    AddMissingPmValues(inputs, verdict);
  } else if (inputs.busiest >= kBusy) {
    verdict->summary = "Two units may be the limit: the error bounds do not separate them.";
    verdict->missing =
        "exact uses (" + WayTo(inputs, format::kNeedsUse) + "): the error bounds are too wide";
  } else {
    verdict->summary = "No unit is busy, and no stall reason stands out.";
    verdict->missing = "PC samples: which instructions the warps wait at";
  }
}

struct Rule {
  std::string_view id;
  Limiter limiter;
  bool (*matches)(const RuleInputs&);
  void (*fill)(const RuleInputs&, Verdict*);
  // True: names a unit, and holds for a counted region as well. Its functions then get inputs whose
  // `kernel` is nullptr.
  bool of_unit = false;
};

constexpr Rule kRules[] = {
    {"not-measured", Limiter::kNotMeasured, NotMeasured, FillNotMeasured},
    {"launch-sized", Limiter::kLaunchSized, LaunchSized, FillLaunchSized},
    {"small-grid", Limiter::kSmallGrid, SmallGrid, FillSmallGrid},
    {"dram-throughput", Limiter::kDram, Bound<Unit::kDram>, FillDram, true},
    {"l2-throughput", Limiter::kL2, Bound<Unit::kL2>, FillL2, true},
    {"l1-throughput", Limiter::kL1, Bound<Unit::kL1>, FillL1, true},
    {"shared-bank-conflicts", Limiter::kShared, SharedConflicts, FillConflicts, true},
    {"shared-throughput", Limiter::kShared, Bound<Unit::kShared>, FillShared, true},
    {"tensor-throughput", Limiter::kTensor, Bound<Unit::kTensor>, FillTensor, true},
    {"fma-throughput", Limiter::kFma, Bound<Unit::kFma>, FillFma, true},
    {"alu-throughput", Limiter::kAlu, Bound<Unit::kAlu>, FillAlu, true},
    {"fp64-throughput", Limiter::kFp64, Bound<Unit::kFp64>, FillFp64, true},
    {"sfu-throughput", Limiter::kSfu, Bound<Unit::kSfu>, FillSfu, true},
    {"lsu-throughput", Limiter::kL1, Bound<Unit::kLsu>, FillLsu, true},
    {"issue-throughput", Limiter::kIssue, Bound<Unit::kIssue>, FillIssue, true},
    {"mixed", Limiter::kMixed, Mixed, FillMixed, true},
    {"tail", Limiter::kTail, TailPrimary, FillTail},
    {"imbalance", Limiter::kTail, ImbalancePrimary, FillImbalance},
    {"occupancy-limited", Limiter::kOccupancy, OccupancyLimited, FillOccupancy},
    {"latency-stall", Limiter::kLatency, Waiting, FillLatency},
    {"partial-wave", Limiter::kSmallGrid, PartialWavePrimary, FillPartialWave},
    {"no-unit-busy", Limiter::kLatency, NoUnitBusy, FillNoUnitBusy},
    {"unknown", Limiter::kUnknown, Always, FillUnknown},
};

bool Apply(const Rule& rule, const RuleInputs& inputs, Verdict* verdict) {
  if (!rule.matches(inputs)) return false;
  verdict->limiter = rule.limiter;
  verdict->rule = rule.id;
  rule.fill(inputs, verdict);
  return true;
}

void LimitGain(Verdict* verdict) {
  const double gain = verdict->gain_at_most;
  verdict->gain_at_most = std::isfinite(gain) ? std::clamp(gain, 0.0, 1.0) : 0;
}

// The action of a rule that names one only.
void ListAction(Verdict* verdict) {
  if (verdict->action.empty() || !verdict->actions.empty()) return;
  verdict->actions.push_back({verdict->rule, GainKind::kSameWork, verdict->action,
                              verdict->gain_at_most, verdict->gain_formula, verdict->missing});
}

// The next explanation and its value: a unit, or else the stall that the units do not explain.
std::string RunnerUp(const RuleInputs& inputs, const Verdict& verdict) {
  const bool about_unit = inputs.leader && LeaderBound(inputs) && !LaunchSized(inputs);
  if (about_unit && inputs.rival) return DescribeUse(*inputs.rival);
  if (about_unit || verdict.limiter == Limiter::kNotMeasured) return "";
  if (verdict.limiter == Limiter::kMixed) return DescribeUse(*inputs.rival);
  if (!inputs.leader) return "";
  if (verdict.limiter == Limiter::kSmallGrid && !inputs.stalls.empty()) {
    return std::string(inputs.stalls.front().reason) + " stall " +
           text::Percent(inputs.stalls.front().share);
  }
  return DescribeUse(*inputs.leader);
}

// A kernel without counters of its own was counted with the other work of `region`.
std::string MissingBeside(const KernelReport& kernel, const RegionReport& region,
                          const std::string& missing) {
  const bool of_range = region.kind == RegionReport::Kind::kRange && !kernel.in_graph;
  return (of_range ? "counters of its own: it was counted with the other work of its range only"
                   : missing) +
         "; " + DescribeRegion(region);
}

}  // namespace

Verdict DecideKernel(const KernelReport& kernel, const model::Device* device,
                     const KernelContext& context) {
  const RuleInputs inputs = GatherInputs(kernel, device);
  Verdict verdict;
  for (const Rule& rule : kRules) {
    if (Apply(rule, inputs, &verdict)) break;
  }
  if (verdict.limiter != Limiter::kNotMeasured) verdict.notes = FindNotes(inputs, verdict.rule);
  verdict.notes.insert(verdict.notes.end(), context.notes.begin(), context.notes.end());
  verdict.runner_up = RunnerUp(inputs, verdict);
  verdict.source = inputs.source;
  const bool is_unsettled = !inputs.unknown.empty() || inputs.busiest >= kBusy;
  verdict.decided = verdict.limiter != Limiter::kNotMeasured &&
                    !(verdict.limiter == Limiter::kUnknown && is_unsettled);
  LimitGain(&verdict);
  if (verdict.missing.empty() && !inputs.unknown.empty() && inputs.measured) {
    verdict.missing = MissingUses(inputs);
  }
  if (context.region != nullptr && verdict.limiter == Limiter::kNotMeasured) {
    verdict.missing = MissingBeside(kernel, *context.region, verdict.missing);
  }
  if (kernel.in_graph && verdict.missing.find("--counters") != verdict.missing.npos) {
    verdict.missing +=
        "; CUPTI does not count the kernels of a CUDA graph one by one: launch it outside of the "
        "graph for that";
  }
  ListAction(&verdict);
  return verdict;
}

bool DecideUnits(const RuleInputs& inputs, Verdict* verdict) {
  const bool matched = std::any_of(std::begin(kRules), std::end(kRules), [&](const Rule& rule) {
    return rule.of_unit && Apply(rule, inputs, verdict);
  });
  if (!matched) return false;
  verdict->runner_up = RunnerUp(inputs, *verdict);
  verdict->source = inputs.source;
  LimitGain(verdict);
  ListAction(verdict);
  return true;
}

std::vector<std::string_view> VerdictRuleIds() {
  std::vector<std::string_view> ids;
  for (const Rule& rule : kRules) ids.push_back(rule.id);
  return ids;
}

}  // namespace prof::analyzer
