// SPDX-License-Identifier: Apache-2.0
//
// A cause that competes with the units, and what several causes ask.
#ifndef PROF_LIB_ANALYZER_RULES_CAUSE_PARTS_H_
#define PROF_LIB_ANALYZER_RULES_CAUSE_PARTS_H_

#include <initializer_list>
#include <string>
#include <string_view>

#include "lib/analyzer/rules/rule_bounds.h"
#include "lib/analyzer/rules/rule_inputs.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

struct Cause {
  std::string_view rule;  // of its row; Verdict::rule where it is the verdict
  Limiter limiter = Limiter::kUnknown;
  // The share of the time that is expected to go with it, 0..1. It ranks; the action's gain, which
  // is at least that, is what is printed.
  double frees = 0;
  bool is_verdict = false;  // it frees more than the limiting unit leaves, or explains the waiting
  bool is_beside = false;   // it is not, and still worth an action beside the verdict's
  Action action;
  std::string summary;
  std::string missing;  // not empty: this would decide
  prof::Doubt doubt;    // why it may be wrong; without an id: nothing of its own
};

// A unit, or two of them, are the limit.
[[nodiscard]] bool UnitsDecide(const RuleInputs& inputs);
// What the limiting unit could still gain with the same work.
[[nodiscard]] double LeftOfLeader(const RuleInputs& inputs);
// A unit is busy with what the cause wastes: without it the kernel is faster than the unit's
// ceiling allows.
[[nodiscard]] bool BeatsUnits(const RuleInputs& inputs, double frees);
// That of the unit that decides, or else `otherwise`.
[[nodiscard]] Limiter LimiterOf(const RuleInputs& inputs, Limiter otherwise);

// No unit is busy, and one of these is what most warps wait for.
[[nodiscard]] bool WaitsFor(const RuleInputs& inputs,
                            std::initializer_list<std::string_view> reasons);
// No unit is busy, and the stalls were not read.
[[nodiscard]] bool WaitsForUnknown(const RuleInputs& inputs);

// What the expected relief frees, for the ranking.
[[nodiscard]] double Frees(const RuleInputs& inputs, const Relief& relief);
[[nodiscard]] Cause MakeCause(Limiter limiter, double frees);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_CAUSE_PARTS_H_
