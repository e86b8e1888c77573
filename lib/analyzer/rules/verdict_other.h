// SPDX-License-Identifier: Apache-2.0
//
// These rules name neither a unit nor a wait: they come before all others, or after them. They hold
// for kernels only. A Fill function may rely on its condition.
#ifndef PROF_LIB_ANALYZER_RULES_VERDICT_OTHER_H_
#define PROF_LIB_ANALYZER_RULES_VERDICT_OTHER_H_

#include "lib/analyzer/rules/rule_inputs.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

[[nodiscard]] bool IsOfNccl(const RuleInputs& inputs);
[[nodiscard]] bool NotMeasured(const RuleInputs& inputs);
[[nodiscard]] bool LaunchSized(const RuleInputs& inputs);
void FillCommunication(const RuleInputs& inputs, Verdict* verdict);
void FillNotMeasured(const RuleInputs& inputs, Verdict* verdict);
void FillLaunchSized(const RuleInputs& inputs, Verdict* verdict);

// No rule matched before.
void FillUnknown(const RuleInputs& inputs, Verdict* verdict);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_VERDICT_OTHER_H_
