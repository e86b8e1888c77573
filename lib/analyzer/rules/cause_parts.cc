// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/cause_parts.h"

#include <algorithm>

#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/rules/verdict_latency.h"
#include "lib/analyzer/rules/verdict_units.h"

namespace prof::analyzer {

bool UnitsDecide(const RuleInputs& inputs) { return LeaderBound(inputs) || Mixed(inputs); }

double LeftOfLeader(const RuleInputs& inputs) {
  return std::max(0.0, 1 - inputs.leader->at_least() / CeilingOf(inputs, inputs.leader->unit));
}

double Frees(const RuleInputs& inputs, const Relief& relief) {
  return std::max(0.0, BoundBy(inputs, relief).gain.value_or(1));
}

bool WaitsFor(const RuleInputs& inputs, std::initializer_list<std::string_view> reasons) {
  if (!Waiting(inputs)) return false;
  const std::string_view top = inputs.stalls.front().reason;
  return std::find(reasons.begin(), reasons.end(), top) != reasons.end();
}

bool WaitsForUnknown(const RuleInputs& inputs) {
  return inputs.stalls.empty() && inputs.busiest < kBusy && inputs.unknown.empty();
}

bool BeatsUnits(const RuleInputs& inputs, double frees) {
  return UnitsDecide(inputs) && frees > LeftOfLeader(inputs) + kWorthwhileGain;
}

Limiter LimiterOf(const RuleInputs& inputs, Limiter otherwise) {
  if (!inputs.leader || !UnitsDecide(inputs)) return otherwise;
  switch (inputs.leader->unit) {
    case Unit::kDram:
      return Limiter::kDram;
    case Unit::kL2:
      return Limiter::kL2;
    case Unit::kL1:
      return Limiter::kL1;
    case Unit::kShared:
      return Limiter::kShared;
    case Unit::kTensor:
      return Limiter::kTensor;
    case Unit::kFma:
      return Limiter::kFma;
    case Unit::kAlu:
      return Limiter::kAlu;
    case Unit::kFp64:
      return Limiter::kFp64;
    case Unit::kSfu:
      return Limiter::kSfu;
    case Unit::kLsu:
      return inputs.shared.share.value_or(0) >= kSharedIsMost ? Limiter::kShared : Limiter::kL1;
    case Unit::kTexture:
      return Limiter::kL1;
    case Unit::kIssue:
      return Limiter::kIssue;
  }
  return otherwise;
}

Cause MakeCause(Limiter limiter, double frees) {
  Cause cause;
  cause.limiter = limiter;
  cause.frees = std::clamp(frees, 0.0, 1.0);
  return cause;
}

}  // namespace prof::analyzer
