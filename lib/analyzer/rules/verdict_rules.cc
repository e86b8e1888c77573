// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/verdict_rules.h"

#include <algorithm>
#include <utility>

#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/rules/rule_actions.h"
#include "lib/analyzer/rules/rule_causes.h"
#include "lib/analyzer/rules/rule_confidence.h"
#include "lib/analyzer/rules/rule_evidence.h"
#include "lib/analyzer/rules/rule_notes.h"
#include "lib/analyzer/rules/verdict_other.h"
#include "lib/analyzer/rules/verdict_region.h"
#include "lib/analyzer/rules/verdict_table.h"
#include "lib/analyzer/rules/verdict_units.h"
#include "lib/format/depth.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::analyzer {
namespace {

bool Apply(const VerdictRule& rule, const RuleInputs& inputs, Verdict* verdict) {
  if (!rule.matches(inputs)) return false;
  verdict->limiter = rule.text.limiter;
  verdict->rule = rule.text.id;
  rule.fill(inputs, verdict);
  return true;
}

// A region is judged by the rules that name a unit alone.
bool ApplyFirst(const std::vector<VerdictRule>& rules, const RuleInputs& inputs, Verdict* verdict) {
  return std::any_of(rules.begin(), rules.end(), [&](const VerdictRule& rule) {
    return (inputs.kernel != nullptr || rule.of_unit) && Apply(rule, inputs, verdict);
  });
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
    (void)ApplyFirst(RulesAfterCauses(), inputs, verdict);
  }
  // Of equal gains that of a cause comes first.
  std::vector<Action> own = std::move(verdict->actions);
  verdict->actions.clear();
  for (const Cause& cause : causes) {
    if (!cause.is_verdict && !cause.is_beside) continue;
    if (cause.is_beside && !cause.is_verdict) verdict->evidence.push_back(cause.summary);
    const bool is_own = std::any_of(
        own.begin(), own.end(), [&](const Action& action) { return action.id == cause.action.id; });
    if (!is_own) verdict->actions.push_back(cause.action);
  }
  verdict->actions.insert(verdict->actions.end(), own.begin(), own.end());
}

// The unit that competes with the leader; or, where that one hardly works, the busiest one. What
// the issue slots feed is as good an explanation as they are.
std::string NextUnit(const RuleInputs& inputs) {
  const Unit leader = inputs.leader->unit;
  const bool competes = inputs.rival && leader != Unit::kIssue &&
                        inputs.Deciding(inputs.rival->unit, inputs.rival->of_peak) >= kLeastRival;
  if (competes) return DescribeUse(*inputs.rival);
  for (const UnitUse& use : inputs.units()) {
    if (use.unit == leader || (inputs.half_on_fma && use.unit == Unit::kTensor)) continue;
    const bool follows = Follows(use.unit, leader);
    return DescribeUse(use) + (follows ? ", a consequence of the work of " + NameOf(leader) : "");
  }
  return "";
}

// Another unit whose work is not the leader's own is half used.
bool HasRival(const RuleInputs& inputs) {
  return inputs.rival && inputs.Deciding(inputs.rival->unit, inputs.rival->of_peak) >= kHalfUsed;
}

// A unit below 80 %, without a rival, and warps that keep it from more: by their stalls, where that
// is no queue of a unit, or by being few. Empty where neither is so. Issue slots are what is left
// where warps wait.
std::string WaitingWarps(const RuleInputs& inputs) {
  const UnitUse& leader = *inputs.leader;
  if (leader.unit == Unit::kIssue || inputs.Deciding(leader.unit, leader.of_peak) >= kSaturated ||
      HasRival(inputs)) {
    return "";
  }
  const std::string waiting = std::string(kWaitingWarps) + ": ";
  if (inputs.stalls.empty()) {
    if (!FewWarpsAsk(inputs)) return "";
    return waiting + "few, in " + text::Percent(*WarpsAtMost(inputs)) + " of the slots";
  }
  const Stall& top = inputs.stalls.front();
  const bool is_queue = top.reason.find("throttle") != top.reason.npos;
  if (top.share < kStallShare || is_queue) return "";
  return waiting + std::string(top.reason) + " " + text::Percent(top.share);
}

// The next explanation and its value: a unit, or else the stall that the units do not explain.
std::string RunnerUp(const RuleInputs& inputs, const Verdict& verdict) {
  if (verdict.limiter == Limiter::kCommunication) return "";
  const bool about_unit = inputs.leader && LeaderBound(inputs) && !LaunchSized(inputs);
  const bool about_shape =
      verdict.limiter == Limiter::kTail || verdict.limiter == Limiter::kSmallGrid;
  if (about_unit && !about_shape) {
    const std::string waiting = WaitingWarps(inputs);
    return waiting.empty() ? NextUnit(inputs) : waiting;
  }
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
  if (!ApplyFirst(RulesBeforeCauses(), inputs, &verdict)) {
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
  if (!inputs.resting.empty() && is_of_this_gpu) {
    verdict.evidence.push_back(text::Enumerate(inputs.resting) +
                               " not measured, and idle: the issue slots rest");
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
  } else if (!ApplyFirst(RulesAfterCauses(), inputs, verdict)) {
    return false;
  }
  verdict->runner_up = RunnerUp(inputs, *verdict);
  verdict->source = inputs.source;
  RankVerdictActions(verdict);
  SetConfidence(verdict);
  return true;
}

}  // namespace prof::analyzer
