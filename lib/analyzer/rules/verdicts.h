// SPDX-License-Identifier: Apache-2.0
//
// The conditions of the verdict rules and what each writes into a verdict; the table that puts
// them in order is in verdict_rules.cc. A Fill function may rely on its condition.
#ifndef PROF_LIB_ANALYZER_RULES_VERDICTS_H_
#define PROF_LIB_ANALYZER_RULES_VERDICTS_H_

#include "lib/analyzer/rules/rule_inputs.h"
#include "prof/report.h"

namespace prof::analyzer {

// The verdict that names a unit, or two; false when no rule of that kind matches.
bool JudgeUnits(const Facts& facts, Verdict* verdict);

// A unit limits. The leader is saturated; or busy, and no other unit comes close.
bool LeaderBound(const Facts& facts);
template <Unit unit>
bool Bound(const Facts& facts) {
  return LeaderBound(facts) && facts.leader->unit == unit;
}
bool SharedConflicts(const Facts& facts);
bool Mixed(const Facts& facts);
void FillDram(const Facts& facts, Verdict* verdict);
void FillL2(const Facts& facts, Verdict* verdict);
void FillL1(const Facts& facts, Verdict* verdict);
void FillConflicts(const Facts& facts, Verdict* verdict);
void FillShared(const Facts& facts, Verdict* verdict);
void FillTensor(const Facts& facts, Verdict* verdict);
void FillFma(const Facts& facts, Verdict* verdict);
void FillAlu(const Facts& facts, Verdict* verdict);
void FillFp64(const Facts& facts, Verdict* verdict);
void FillSfu(const Facts& facts, Verdict* verdict);
void FillLsu(const Facts& facts, Verdict* verdict);
void FillIssue(const Facts& facts, Verdict* verdict);
void FillMixed(const Facts& facts, Verdict* verdict);

// No counters, but PM samples of the whole GPU.
bool ContinuousDramBound(const Facts& facts);
void FillContinuousDram(const Facts& facts, Verdict* verdict);
// A line of evidence for each metric, with its error bound or the reason why there is none.
void SayContinuous(const Facts& facts, Verdict* verdict);

// No unit is busy.
bool SmallGrid(const Facts& facts);
bool PartialWave(const Facts& facts);  // named only when no stall explains the kernel
bool TailPrimary(const Facts& facts);
bool ImbalancePrimary(const Facts& facts);
bool OccupancyLimited(const Facts& facts);
bool Waiting(const Facts& facts);
void FillSmallGrid(const Facts& facts, Verdict* verdict);
void FillPartialWave(const Facts& facts, Verdict* verdict);
void FillTail(const Facts& facts, Verdict* verdict);
void FillImbalance(const Facts& facts, Verdict* verdict);
void FillOccupancy(const Facts& facts, Verdict* verdict);
void FillLatency(const Facts& facts, Verdict* verdict);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_VERDICTS_H_
