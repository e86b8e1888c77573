// SPDX-License-Identifier: Apache-2.0
//
// The table of verdicts has all that is known about each rule: its condition, what it writes, and
// its texts in docs/guide/rules.md, which are made from here. Causes have a table of their own
// (rule_causes.h).
#ifndef PROF_LIB_ANALYZER_RULES_VERDICT_TABLE_H_
#define PROF_LIB_ANALYZER_RULES_VERDICT_TABLE_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/analyzer/rules/rule_inputs.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

// A row of docs/guide/rules.md.
struct VerdictRow {
  std::string_view id;  // Verdict::rule
  Limiter limiter;
  std::string_view condition;  // with the source of each threshold
  std::string_view evidence;
  std::string_view actions;       // in words, with their ids
  std::string_view wrong;         // a wrong answer would be
  std::string_view verdict = {};  // in words; empty: the limiter
};

struct VerdictRule {
  VerdictRow text;
  bool (*matches)(const RuleInputs&);
  void (*fill)(const RuleInputs&, Verdict*);
  // True: names a unit, and holds for a counted region as well. Its functions then get inputs whose
  // `kernel` is nullptr.
  bool of_unit = false;
};

// In the order of evaluation: before the causes, and where no cause is the verdict. The last one
// always matches.
[[nodiscard]] const std::vector<VerdictRule>& RulesBeforeCauses();
[[nodiscard]] const std::vector<VerdictRule>& RulesAfterCauses();

// Verdict::rule of all rules and causes, in that order.
[[nodiscard]] std::vector<std::string_view> VerdictRuleIds();

// A table of rules in Markdown.
[[nodiscard]] std::string VerdictTable(const std::vector<VerdictRow>& rows);
[[nodiscard]] std::string VerdictTable(const std::vector<VerdictRule>& rules);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_VERDICT_TABLE_H_
