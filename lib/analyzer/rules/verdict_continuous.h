// SPDX-License-Identifier: Apache-2.0
//
// This rule uses PM samples for a kernel without counters: DRAM limits it when DRAM is saturated
// beyond the error bound. Counters of single launches always come first.
#ifndef PROF_LIB_ANALYZER_RULES_VERDICT_CONTINUOUS_H_
#define PROF_LIB_ANALYZER_RULES_VERDICT_CONTINUOUS_H_

#include "lib/analyzer/rules/rule_inputs.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

[[nodiscard]] bool ContinuousDramBound(const RuleInputs& inputs);
void FillContinuousDram(const RuleInputs& inputs, Verdict* verdict);
// A line of evidence for each metric, with its error bound or the reason why there is none.
void AddContinuous(const RuleInputs& inputs, Verdict* verdict);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_VERDICT_CONTINUOUS_H_
