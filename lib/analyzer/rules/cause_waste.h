// SPDX-License-Identifier: Apache-2.0
//
// Causes that are a waste: work that a kernel could do without, by counters or PM samples.
#ifndef PROF_LIB_ANALYZER_RULES_CAUSE_WASTE_H_
#define PROF_LIB_ANALYZER_RULES_CAUSE_WASTE_H_

#include <optional>

#include "lib/analyzer/rules/cause_parts.h"
#include "lib/analyzer/rules/rule_inputs.h"

namespace prof::analyzer {

// Each is empty where the kernel has none of it.
[[nodiscard]] std::optional<Cause> BankConflictsCause(const RuleInputs& inputs);
[[nodiscard]] std::optional<Cause> UncoalescedCause(const RuleInputs& inputs);
[[nodiscard]] std::optional<Cause> SpillsCause(const RuleInputs& inputs);
[[nodiscard]] std::optional<Cause> AtomicsCause(const RuleInputs& inputs);
[[nodiscard]] std::optional<Cause> DivergenceCause(const RuleInputs& inputs);
[[nodiscard]] std::optional<Cause> HostMemoryCause(const RuleInputs& inputs);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_CAUSE_WASTE_H_
