// SPDX-License-Identifier: Apache-2.0
//
// What a kernel of the tensor pipe can do next depends on the type of its matrices and on the
// instruction: wgmma, or the mma.sync of older chips.
#ifndef PROF_LIB_ANALYZER_RULES_RULE_MATRIX_H_
#define PROF_LIB_ANALYZER_RULES_RULE_MATRIX_H_

#include "lib/analyzer/rules/rule_inputs.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

// The actions, each with its bound. The operations by type decide, where they were counted.
void AddMatrixActions(const RuleInputs& inputs, Verdict* verdict);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_RULE_MATRIX_H_
