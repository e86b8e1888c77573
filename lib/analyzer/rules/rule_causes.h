// SPDX-License-Identifier: Apache-2.0
//
// The causes that compete with the units: a waste that was counted, or SMs without work. Each has
// the time that it frees. A cause that frees more than the limiting unit has left, at its ceiling,
// is the verdict; the table is ranked by that time.
#ifndef PROF_LIB_ANALYZER_RULES_RULE_CAUSES_H_
#define PROF_LIB_ANALYZER_RULES_RULE_CAUSES_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/analyzer/rules/cause_parts.h"
#include "lib/analyzer/rules/rule_inputs.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

// Those that were found, by the time that they free, descending.
[[nodiscard]] std::vector<Cause> FindCauses(const RuleInputs& inputs);

// The verdict by a cause of FindCauses(): summary, evidence, confidence, its action.
void FillCause(const RuleInputs& inputs, const Cause& cause, Verdict* verdict);

struct CauseRow {
  std::string_view id;
  std::string_view limiter;    // in words
  std::string_view condition;  // with the source of each threshold
  std::string_view action;     // its id
  std::string_view wrong;      // a wrong answer would be
};
[[nodiscard]] std::vector<CauseRow> CauseRows();

// The table of docs/guide/rules.md, in Markdown.
[[nodiscard]] std::string CauseTable();

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_RULE_CAUSES_H_
