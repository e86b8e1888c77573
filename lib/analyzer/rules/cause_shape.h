// SPDX-License-Identifier: Apache-2.0
//
// Causes of the shape of a grid: SMs without work.
#ifndef PROF_LIB_ANALYZER_RULES_CAUSE_SHAPE_H_
#define PROF_LIB_ANALYZER_RULES_CAUSE_SHAPE_H_

#include <optional>

#include "lib/analyzer/rules/cause_parts.h"
#include "lib/analyzer/rules/rule_inputs.h"

namespace prof::analyzer {

// Each is empty where the kernel has none of it.
[[nodiscard]] std::optional<Cause> SmallGridCause(const RuleInputs& inputs);
[[nodiscard]] std::optional<Cause> TailCause(const RuleInputs& inputs);
[[nodiscard]] std::optional<Cause> ImbalanceCause(const RuleInputs& inputs);
// Two units that a launch uses one after the other.
[[nodiscard]] std::optional<Cause> PhasesCause(const RuleInputs& inputs);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_CAUSE_SHAPE_H_
