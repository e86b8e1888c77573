// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/verdict_rules.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "lib/analyzer/base/communication.h"
#include "lib/analyzer/base/rule_text.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/rules/rule_actions.h"
#include "lib/analyzer/rules/rule_causes.h"
#include "lib/analyzer/rules/rule_confidence.h"
#include "lib/analyzer/rules/rule_evidence.h"
#include "lib/analyzer/rules/rule_notes.h"
#include "lib/analyzer/rules/verdict_latency.h"
#include "lib/analyzer/rules/verdict_region.h"
#include "lib/analyzer/rules/verdict_units.h"
#include "lib/format/depth.h"
#include "lib/format/metric_names.h"
#include "lib/format/waiting_kernels.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::analyzer {
namespace {

bool LaunchSized(const RuleInputs& inputs) {
  return inputs.kernel != nullptr && inputs.duration_ns > 0 &&
         inputs.duration_ns < kLaunchSizedNs && !inputs.kernel->whole_graph;
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
  } else if (format::WaitsForOthers(kernel.full_name.c_str())) {
    verdict->missing =
        "PM samples of it (record for longer): its name shows that it may wait for the host or for "
        "other kernels, and such a kernel is never counted";
  } else if (!kernel.continuous.empty()) {
    verdict->missing = "PM samples or counters of it: PM sampling ran, and no sample of its " +
                       text::Plural(kernel.launches, "launch", "launches") + " can be used (" +
                       WayTo(inputs, format::kNeedsUse) + ")";
  } else {
    verdict->missing =
        "a sample: none of its " + text::Plural(kernel.launches, "launch", "launches") +
        " has one. Counters and PM sampling were off, chose other kernels, or had used up their "
        "budget; the first launch of a signature is left alone (record for longer, or with "
        "--counters all)";
  }
  AddMissingPmValues(inputs, verdict);
}

bool IsOfNccl(const RuleInputs& inputs) { return IsCommunication(inputs.kernel->name); }

// Its blocks wait for those of other GPUs, and its grid is as large as its channels, so neither
// idle units nor a small grid are a reason.
void FillCommunication(const RuleInputs& inputs, Verdict* verdict) {
  verdict->summary =
      "It waits for other ranks, or moves data between them: which of these does not show here.";
  AddDoubt("by-name", "its name shows what it does; how long it waits for others is not known",
           verdict);
  verdict->missing = "the recordings of the other ranks (prof ranks): how long it waits for them";
  const Statistic& duration = inputs.kernel->duration_ns;
  if (duration.n > 0) {
    verdict->evidence.push_back(Describe("duration", duration, "us", "timeline", 1e-3));
  }
  AddBusiestUnits(inputs, verdict);
  AddGrid(inputs, verdict);
  verdict->actions.push_back(MakeAction(
      "wait-less-for-ranks",
      {std::nullopt, "nothing here bounds it: how long it waits is in the recordings of all"}));
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
  verdict->actions.push_back(
      MakeAction(inputs.kernel->in_graph ? "merge-graph-nodes" : "merge-launches",
                 {std::nullopt,
                  "nothing that was measured bounds it: another kernel may do all of its work on "
                  "the way"}));
  AddDoubtsOfLaunchSize(inputs, verdict);
}

bool Always(const RuleInputs&) { return true; }

void FillUnknown(const RuleInputs& inputs, Verdict* verdict) {
  AddDoubt("nothing-stands-out", "nothing that was measured explains its time", verdict);
  AddBusiestUnits(inputs, verdict);
  AddStalls(inputs, verdict);
  AddWarps(inputs, verdict);
  if (!inputs.unknown.empty()) {
    verdict->summary = "Not all units were measured, and none of the others is busy.";
    verdict->missing = MissingUses(inputs);
    AddMissingPmValues(inputs, verdict);
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

// Before the causes.
constexpr Rule kFirstRules[] = {
    {"communication", Limiter::kCommunication, IsOfNccl, FillCommunication},
    {"not-measured", Limiter::kNotMeasured, NotMeasured, FillNotMeasured},
    {"launch-sized", Limiter::kLaunchSized, LaunchSized, FillLaunchSized},
};

// Where no cause is the verdict.
constexpr Rule kRules[] = {
    {"dram-throughput", Limiter::kDram, LimitedBy<Unit::kDram>, FillDram, true},
    {"l2-throughput", Limiter::kL2, LimitedBy<Unit::kL2>, FillL2, true},
    {"l1-throughput", Limiter::kL1, LimitedBy<Unit::kL1>, FillL1, true},
    {"shared-throughput", Limiter::kShared, LimitedBy<Unit::kShared>, FillShared, true},
    {"tensor-throughput", Limiter::kTensor, LimitedBy<Unit::kTensor>, FillTensor, true},
    {"fma-throughput", Limiter::kFma, LimitedBy<Unit::kFma>, FillFma, true},
    {"alu-throughput", Limiter::kAlu, LimitedBy<Unit::kAlu>, FillAlu, true},
    {"fp64-throughput", Limiter::kFp64, LimitedBy<Unit::kFp64>, FillFp64, true},
    {"sfu-throughput", Limiter::kSfu, LimitedBy<Unit::kSfu>, FillSfu, true},
    {"lsu-throughput", Limiter::kL1, LimitedBy<Unit::kLsu>, FillLsu, true},
    {"texture-throughput", Limiter::kL1, LimitedBy<Unit::kTexture>, FillTexture, true},
    {"issue-throughput", Limiter::kIssue, LimitedBy<Unit::kIssue>, FillIssue, true},
    {"mixed", Limiter::kMixed, Mixed, FillMixed, true},
    {"write-back", Limiter::kDram, WritesLater, FillWritesLater},
    {"occupancy-limited", Limiter::kOccupancy, OccupancyLimited, FillOccupancy},
    {"latency-stall", Limiter::kLatency, Waiting, FillLatency},
    {"partial-wave", Limiter::kLatency, PartialWavePrimary, FillPartialWave},
    {"no-unit-busy", Limiter::kLatency, NoUnitBusy, FillNoUnitBusy},
    {"issue-slots", Limiter::kIssue, MostlyIssues, FillMostlyIssues},
    {"unknown", Limiter::kUnknown, Always, FillUnknown},
};

bool Apply(const Rule& rule, const RuleInputs& inputs, Verdict* verdict) {
  if (!rule.matches(inputs)) return false;
  verdict->limiter = rule.limiter;
  verdict->rule = rule.id;
  rule.fill(inputs, verdict);
  return true;
}

template <size_t kCount>
bool ApplyFirst(const Rule (&rules)[kCount], const RuleInputs& inputs, Verdict* verdict) {
  return std::any_of(std::begin(rules), std::end(rules),
                     [&](const Rule& rule) { return Apply(rule, inputs, verdict); });
}

// The largest known gain comes first, actions without a bound last. The first one is the verdict's.
void RankVerdictActions(Verdict* verdict) {
  std::stable_sort(verdict->actions.begin(), verdict->actions.end(),
                   [](const Action& a, const Action& b) {
                     return a.gain_at_most.value_or(-1) > b.gain_at_most.value_or(-1);
                   });
  if (verdict->actions.empty()) return;
  const Action& first = verdict->actions.front();
  verdict->action = first.what;
  verdict->gain_at_most = first.gain_at_most.value_or(0);
  verdict->gain_formula = first.floor;
}

// The cause that frees most is the verdict, where it frees more than the units leave. Without it
// the table decides. Other causes that are worth it are actions beside it.
void DecideByCauses(const RuleInputs& inputs, const std::vector<Cause>& causes, Verdict* verdict) {
  const auto first = std::find_if(causes.begin(), causes.end(),
                                  [](const Cause& cause) { return cause.is_verdict; });
  if (first != causes.end()) {
    FillCause(inputs, *first, verdict);
  } else {
    (void)ApplyFirst(kRules, inputs, verdict);
  }
  // Of equal gains that of a cause comes first.
  std::vector<Action> own = std::move(verdict->actions);
  verdict->actions.clear();
  for (const Cause& cause : causes) {
    if (!cause.is_verdict && !cause.is_beside) continue;
    const bool is_own = std::any_of(
        own.begin(), own.end(), [&](const Action& action) { return action.id == cause.action.id; });
    if (is_own) continue;
    verdict->actions.push_back(cause.action);
    if (cause.is_beside && !cause.is_verdict) verdict->evidence.push_back(cause.summary);
  }
  verdict->actions.insert(verdict->actions.end(), own.begin(), own.end());
}

// The busiest of the other units, and whether it is busy because the leader is.
std::string NextUnit(const RuleInputs& inputs) {
  for (const UnitUse& use : inputs.units()) {
    if (use.unit == inputs.leader->unit) continue;
    if (inputs.half_on_fma && use.unit == Unit::kTensor) continue;
    const bool follows = Follows(use.unit, inputs.leader->unit);
    return DescribeUse(use) +
           (follows ? ", a consequence of the work of " + NameOf(inputs.leader->unit) : "");
  }
  return "";
}

// The next explanation and its value: a unit, or else the stall that the units do not explain.
std::string RunnerUp(const RuleInputs& inputs, const Verdict& verdict) {
  if (verdict.limiter == Limiter::kCommunication) return "";
  const bool about_unit = inputs.leader && LeaderBound(inputs) && !LaunchSized(inputs);
  const bool about_shape =
      verdict.limiter == Limiter::kTail || verdict.limiter == Limiter::kSmallGrid;
  if (about_unit && !about_shape) return NextUnit(inputs);
  if (verdict.limiter == Limiter::kNotMeasured) return "";
  if (verdict.rule == "mixed") return DescribeUse(*inputs.rival);
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
  if (!ApplyFirst(kFirstRules, inputs, &verdict)) {
    DecideByCauses(inputs, FindCauses(inputs), &verdict);
  }
  const bool is_of_this_gpu =
      verdict.limiter != Limiter::kNotMeasured && verdict.limiter != Limiter::kCommunication;
  if (is_of_this_gpu) verdict.notes = FindNotes(inputs, verdict.rule);
  verdict.notes.insert(verdict.notes.end(), context.notes.begin(), context.notes.end());
  verdict.runner_up = RunnerUp(inputs, verdict);
  verdict.source = inputs.source;
  verdict.decided = verdict.limiter != Limiter::kNotMeasured &&
                    (verdict.limiter != Limiter::kUnknown || inputs.unknown.empty());
  if (verdict.missing.empty() && !inputs.unknown.empty() && inputs.measured) {
    verdict.missing = MissingUses(inputs);
  }
  if (verdict.missing.empty() && verdict.limiter != Limiter::kLaunchSized && MayHaveTail(inputs)) {
    verdict.missing = "the activity of the SMs (" + WayTo(inputs, format::kNeedsUse) +
                      "): whether the last wave leaves SMs idle";
  }
  if (context.region != nullptr && verdict.limiter == Limiter::kNotMeasured) {
    verdict.missing = MissingBeside(kernel, *context.region, verdict.missing);
  }
  if (kernel.in_graph && verdict.missing.find("--counters") != verdict.missing.npos) {
    verdict.missing +=
        "; CUPTI does not count the kernels of a CUDA graph one by one: launch it outside of the "
        "graph for that";
  }
  RankVerdictActions(&verdict);
  SetConfidence(&verdict);
  return verdict;
}

bool DecideUnits(const RuleInputs& inputs, Verdict* verdict) {
  const std::vector<Cause> causes = FindCauses(inputs);
  const auto cause =
      std::find_if(causes.begin(), causes.end(), [](const Cause& one) { return one.is_verdict; });
  if (cause != causes.end()) {
    FillCause(inputs, *cause, verdict);
  } else {
    const bool matched = std::any_of(std::begin(kRules), std::end(kRules), [&](const Rule& rule) {
      return rule.of_unit && Apply(rule, inputs, verdict);
    });
    if (!matched) return false;
  }
  verdict->runner_up = RunnerUp(inputs, *verdict);
  verdict->source = inputs.source;
  RankVerdictActions(verdict);
  SetConfidence(verdict);
  return true;
}

std::vector<std::string_view> VerdictRuleIds() {
  std::vector<std::string_view> ids;
  for (const Rule& rule : kFirstRules) ids.push_back(rule.id);
  for (const CauseRow& row : CauseRows()) ids.push_back(row.id);
  for (const Rule& rule : kRules) ids.push_back(rule.id);
  return ids;
}

}  // namespace prof::analyzer
