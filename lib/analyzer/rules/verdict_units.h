// SPDX-License-Identifier: Apache-2.0
//
// These rules name a hardware unit: it is saturated, or it is busy and no other one is near it.
// They hold for a kernel and for a counted region. A Fill function may rely on its condition.
#ifndef PROF_LIB_ANALYZER_RULES_VERDICT_UNITS_H_
#define PROF_LIB_ANALYZER_RULES_VERDICT_UNITS_H_

#include <optional>

#include "lib/analyzer/rules/rule_inputs.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

// A unit limits: the leader is saturated, or it is busy and no other unit comes close. Its use
// while the SMs were active counts.
[[nodiscard]] bool LeaderBound(const RuleInputs& inputs);
template <Unit unit>
[[nodiscard]] bool LimitedBy(const RuleInputs& inputs) {
  return LeaderBound(inputs) && inputs.leader->unit == unit;
}
// Of all warp slots: what was counted, or else the most that the launch record allows.
[[nodiscard]] std::optional<double> WarpsAtMost(const RuleInputs& inputs);
// DRAM leads below 80 %, and less than half of the warp slots are in use. It moves what is asked of
// it: more warps may ask for more.
[[nodiscard]] bool FewWarpsAsk(const RuleInputs& inputs);
// Issue slots at 60 to 70 %, where no rule before it matched.
[[nodiscard]] bool MostlyIssues(const RuleInputs& inputs);
void FillMostlyIssues(const RuleInputs& inputs, Verdict* verdict);
[[nodiscard]] bool Mixed(const RuleInputs& inputs);
void FillDram(const RuleInputs& inputs, Verdict* verdict);
void FillL2(const RuleInputs& inputs, Verdict* verdict);
void FillL1(const RuleInputs& inputs, Verdict* verdict);
void FillShared(const RuleInputs& inputs, Verdict* verdict);
// Where shared memory is busy with more than conflicts.
[[nodiscard]] Action FewerSharedAccesses(const RuleInputs& inputs);
void FillTensor(const RuleInputs& inputs, Verdict* verdict);
void FillFma(const RuleInputs& inputs, Verdict* verdict);
void FillAlu(const RuleInputs& inputs, Verdict* verdict);
void FillFp64(const RuleInputs& inputs, Verdict* verdict);
void FillSfu(const RuleInputs& inputs, Verdict* verdict);
void FillLsu(const RuleInputs& inputs, Verdict* verdict);
void FillTexture(const RuleInputs& inputs, Verdict* verdict);
void FillIssue(const RuleInputs& inputs, Verdict* verdict);
void FillMixed(const RuleInputs& inputs, Verdict* verdict);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_VERDICT_UNITS_H_
