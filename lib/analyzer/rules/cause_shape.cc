// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/cause_shape.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/rules/rule_actions.h"
#include "lib/analyzer/rules/rule_bounds.h"
#include "lib/analyzer/rules/rule_course.h"
#include "lib/analyzer/rules/rule_notes.h"
#include "lib/analyzer/rules/verdict_latency.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

// SMs without work explain most of what the busiest unit leaves unused. A kernel that DRAM or L2
// limits stays theirs, with the blocks as its first action: the SMs that are left use them as well.
// Where no unit limits, a grid that leaves many SMs without a block is the cause whatever its warps
// wait for; others are only where they do not wait.
bool ShapeDecides(const RuleInputs& inputs, Limiter limiter, double frees) {
  if (UnitsDecide(inputs) && IsShared(inputs.leader->unit)) return false;
  const double unused = inputs.leader ? LeftOfLeader(inputs) : 1;
  const bool most = frees >= kExplainsMost * unused;
  const bool many_idle =
      limiter == Limiter::kSmallGrid && 1 - inputs.blocks / inputs.sm_count >= kManyIdleSms;
  return most || (!UnitsDecide(inputs) && (many_idle || !Waiting(inputs)));
}

// `expected`: what it frees where all blocks take the same time. It is no bound: with one long
// block among short ones even more is idle.
Cause OfShape(const RuleInputs& inputs, Limiter limiter, std::string_view action, double expected) {
  const Bound bound = BoundOfMoreWarps(inputs);
  Cause cause = MakeCause(limiter, std::min(expected, bound.gain.value_or(1)));
  const bool at_limit =
      inputs.leader && IsShared(inputs.leader->unit) && inputs.leader->of_peak >= kSaturated;
  cause.is_beside = inputs.unknown.empty() && !at_limit && cause.frees >= kWorthwhileGain;
  cause.is_verdict = cause.is_beside && ShapeDecides(inputs, limiter, cause.frees);
  cause.action = MakeAction(action, bound);
  return cause;
}

}  // namespace

std::optional<Cause> SmallGridCause(const RuleInputs& inputs) {
  const Occupancy& occupancy = inputs.kernel->occupancy;
  if (!occupancy.known || !(occupancy.waves > 0) || occupancy.waves >= 1) return std::nullopt;
  if (inputs.sm_count == 0 || 1 - inputs.blocks / inputs.sm_count < kIdleSms) return std::nullopt;
  Cause cause = OfShape(inputs, Limiter::kSmallGrid, "more-blocks", 1 - occupancy.waves);
  cause.summary = text::Fixed(inputs.blocks, 0) + " blocks leave " +
                  text::Percent(1 - inputs.blocks / inputs.sm_count) +
                  " of the SMs without work, and are " + text::Percent(occupancy.waves) +
                  " of one wave.";
  return cause;
}

namespace {

std::string IdleShare(const RuleInputs& inputs) {
  return inputs.pm_active ? "at least " + text::Percent(*inputs.imbalance) + " of its time"
                          : text::Percent(*inputs.imbalance) + " of the busiest one's time";
}

}  // namespace

std::optional<Cause> TailCause(const RuleInputs& inputs) {
  if (!HasTail(inputs)) return std::nullopt;
  const Occupancy& occupancy = inputs.kernel->occupancy;
  Cause cause = OfShape(inputs, Limiter::kTail, "whole-waves",
                        std::min(*inputs.imbalance, occupancy.tail_lost));
  cause.summary = "The last of " + text::Fixed(occupancy.waves, 2) +
                  " waves is partial: the SMs are idle for " + IdleShare(inputs) + ".";
  return cause;
}

std::optional<Cause> ImbalanceCause(const RuleInputs& inputs) {
  if (!IsImbalanced(inputs)) return std::nullopt;
  Cause cause = OfShape(inputs, Limiter::kTail, "even-out-blocks", *inputs.imbalance);
  // Blocks of the same work end at different times where they wait for each other's memory.
  cause.is_beside = cause.is_beside && !Waiting(inputs);
  cause.summary = "Some SMs work much longer than others: the average one is idle for " +
                  IdleShare(inputs) + ".";
  return cause;
}

std::optional<Cause> PhasesCause(const RuleInputs& inputs) {
  const auto phases = FindPhases(inputs.kernel->course);
  if (!phases) return std::nullopt;
  const auto& [first, second] = *phases;
  // At best the shorter one runs beside the longer one.
  const Bound bound = BoundBy(inputs, {});
  Cause cause =
      MakeCause(Limiter::kMixed, std::min({first.share, second.share, bound.gain.value_or(1)}));
  cause.is_beside = cause.frees >= kWorthwhileGain;
  cause.is_verdict = cause.is_beside && !UnitsDecide(inputs);
  cause.action = MakeAction("overlap-phases", bound);
  const auto describe = [](const LaunchPhase& phase) {
    return std::string(phase.unit) + " at " + text::Percent(phase.use) + " for " +
           text::ShortPercent(phase.share) + " of a launch";
  };
  cause.summary =
      "It uses one unit after the other: " + describe(first) + ", and " + describe(second) + ".";
  cause.doubt = {"course", "the parts of a launch have no error bounds"};
  return cause;
}

}  // namespace prof::analyzer
