// SPDX-License-Identifier: Apache-2.0
//
// The table of verdicts on a kernel, evaluated in order: the first rule that matches is the
// verdict, what else matches is named beside it. docs/rules.md explains each one.
#include <algorithm>
#include <cmath>
#include <string>

#include "lib/analyzer/base/number_text.h"
#include "lib/analyzer/base/rule_text.h"
#include "lib/analyzer/rules/rule_evidence.h"
#include "lib/analyzer/rules/rule_ids.h"
#include "lib/analyzer/rules/rule_inputs.h"
#include "lib/analyzer/rules/rule_notes.h"
#include "lib/analyzer/rules/rules.h"
#include "lib/analyzer/rules/thresholds.h"
#include "lib/analyzer/rules/verdicts.h"

namespace prof::analyzer {
namespace {

bool NotMeasured(const Facts& facts) { return !facts.measured; }

void FillNotMeasured(const Facts& facts, Verdict* verdict) {
  const KernelReport& kernel = *facts.kernel;
  verdict->summary = kernel.whole_graph ? "It is a CUDA graph, of which no kernel was recorded."
                                        : "No counters were read for this kernel.";
  if (facts.duration_ns > 0 && facts.duration_ns < kLaunchSizedNs) {
    verdict->summary += " At " + FormatNs(facts.duration_ns) +
                        " it is so short that launching it matters more than what limits it.";
  }
  if (kernel.samples_rejected > 0) {
    verdict->missing = "a sample of this kernel alone: all " +
                       std::to_string(kernel.samples_rejected) +
                       " overlapped other GPU work or were taken at another clock";
  } else if (kernel.whole_graph) {
    verdict->missing =
        "its nodes: the graph was recorded as a whole, as was asked for; record it by node to see "
        "its kernels";
  } else if (kernel.in_graph) {
    verdict->missing =
        "counters: it ran in a CUDA graph, whose kernels CUPTI does not count one by one";
  } else if (!kernel.metrics.empty()) {
    verdict->missing = "a usable value: no throughput counter has a finite one";
  } else {
    verdict->missing = "counters: they were off, or no launch of this signature was sampled";
  }
  SayContinuous(facts, verdict);
}

bool LaunchSized(const Facts& facts) {
  return facts.duration_ns > 0 && facts.duration_ns < kLaunchSizedNs;
}

void FillLaunchSized(const Facts& facts, Verdict* verdict) {
  verdict->summary = "It runs for " + FormatNs(facts.duration_ns) +
                     " only: launching it, filling and draining the GPU dominate.";
  if (facts.leader && facts.leader->use >= kBusy) {
    verdict->summary += " Its busiest unit is " + Use(*facts.leader) + ".";
  }
  const Statistic& duration = facts.kernel->duration_ns;
  if (duration.n > 0 && !facts.kernel->duration_from_counters) {
    verdict->evidence.push_back(Describe("duration", duration, "us", "timeline", 1e-3));
  } else {
    Say(facts, "duration", "us", "gpu__time_duration.sum", verdict, 1e-3);
  }
  for (size_t i = 0; i < facts.units.size() && i < 3; ++i) {
    SayUnit(facts, facts.units[i], verdict);
  }
  SayGrid(facts, verdict);
  verdict->action =
      "Merge it with its neighbours, batch more work into one launch, or launch the sequence as a "
      "CUDA graph.";
  verdict->gain_at_most = 1;
  verdict->gain_formula = "all of it, if another kernel does its work on the way";
  verdict->confidence = Confidence::kLow;
}

bool Always(const Facts&) { return true; }

void FillUnknown(const Facts& facts, Verdict* verdict) {
  verdict->confidence = Confidence::kLow;
  for (size_t i = 0; i < facts.units.size() && i < 3; ++i) {
    SayUnit(facts, facts.units[i], verdict);
  }
  SayStalls(facts, verdict);
  SayWarps(facts, verdict);
  if (!facts.unknown.empty()) {
    verdict->summary = "Not all units were measured, and none of the others is busy.";
    verdict->missing = "the use of " + Join(facts.unknown) + " (tier T1)";
  } else if (facts.stalls.empty()) {
    verdict->summary = "No unit is busy: warps wait, but for what was not measured.";
    verdict->missing = "warp stall reasons (tier T2)";
  } else {
    verdict->summary = "No unit is busy, and no stall reason stands out.";
    verdict->missing = "PC samples: which instructions the warps wait at";
  }
}

struct Rule {
  std::string_view id;
  Limiter limiter;
  bool (*matches)(const Facts&);
  void (*fill)(const Facts&, Verdict*);
  bool of_unit = false;  // holds for several kernels together as well
};

constexpr Rule kRules[] = {
    {"continuous-dram", Limiter::kDram, ContinuousDramBound, FillContinuousDram},
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
    {"partial-wave", Limiter::kSmallGrid, PartialWave, FillPartialWave},
    {"unknown", Limiter::kUnknown, Always, FillUnknown},
};

bool Apply(const Rule& rule, const Facts& facts, Verdict* verdict) {
  if (!rule.matches(facts)) return false;
  verdict->limiter = rule.limiter;
  verdict->rule = rule.id;
  rule.fill(facts, verdict);
  return true;
}

void BoundGain(Verdict* verdict) {
  const double gain = verdict->gain_at_most;
  verdict->gain_at_most = std::isfinite(gain) ? std::clamp(gain, 0.0, 1.0) : 0;
}

// The next explanation and its value: a unit, or else the stall that the units do not explain.
std::string RunnerUp(const Facts& facts, const Verdict& verdict) {
  const bool about_unit = facts.leader && LeaderBound(facts) && !LaunchSized(facts);
  if (about_unit && facts.rival) return Use(*facts.rival);
  if (about_unit || verdict.limiter == Limiter::kNotMeasured) return "";
  if (verdict.limiter == Limiter::kMixed) return Use(*facts.rival);
  if (!facts.leader) return "";
  if (verdict.limiter == Limiter::kSmallGrid && !facts.stalls.empty()) {
    return std::string(facts.stalls.front().reason) + " stall " +
           Percent(facts.stalls.front().share);
  }
  return Use(*facts.leader);
}

}  // namespace

Verdict JudgeKernel(const KernelReport& kernel, const model::Device* device) {
  const Facts facts = GatherFacts(kernel, device);
  Verdict verdict;
  for (const Rule& rule : kRules) {
    if (Apply(rule, facts, &verdict)) break;
  }
  if (verdict.limiter != Limiter::kNotMeasured) verdict.notes = FindNotes(facts, verdict.rule);
  verdict.runner_up = RunnerUp(facts, verdict);
  BoundGain(&verdict);
  if (verdict.missing.empty() && !facts.unknown.empty() && facts.measured) {
    verdict.missing = "the use of " + Join(facts.unknown) + " (tier T1)";
  }
  return verdict;
}

bool JudgeUnits(const Facts& facts, Verdict* verdict) {
  const bool judged = std::any_of(std::begin(kRules), std::end(kRules), [&](const Rule& rule) {
    return rule.of_unit && Apply(rule, facts, verdict);
  });
  if (!judged) return false;
  verdict->runner_up = RunnerUp(facts, *verdict);
  BoundGain(verdict);
  return true;
}

std::vector<std::string_view> VerdictRuleIds() {
  std::vector<std::string_view> ids;
  for (const Rule& rule : kRules) ids.push_back(rule.id);
  return ids;
}

}  // namespace prof::analyzer
