// SPDX-License-Identifier: Apache-2.0
//
// How sure a verdict is: its doubts, and the level of confidence that they leave. Which doubts
// there are, and how much each one weighs, stands in one table.
#ifndef PROF_LIB_ANALYZER_RULES_RULE_CONFIDENCE_H_
#define PROF_LIB_ANALYZER_RULES_RULE_CONFIDENCE_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/analyzer/rules/rule_inputs.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

struct DoubtRow {
  std::string_view id;
  bool is_grave;          // by itself it leaves a low confidence
  std::string_view when;  // for the page about the rules
};

// In the order in which a verdict lists its doubts.
[[nodiscard]] const std::vector<DoubtRow>& DoubtRows();
// As Markdown: the table in docs/guide/rules.md.
[[nodiscard]] std::string DoubtTable();

// Adds a doubt of the table, once. `text` is a sentence without its full stop.
void AddDoubt(std::string_view id, std::string text, Verdict* verdict);

// What is doubtful about any verdict of these inputs: few samples, a short kernel, values that
// vary.
void AddDoubtsOfData(const RuleInputs& inputs, double samples, Verdict* verdict);
// `winner` names the limit, and is `margin` above what comes next: both in 0..1.
void AddDoubtsOfWinner(const RuleInputs& inputs, double winner, double margin, Verdict* verdict);
// Of a verdict about a kernel whose warps wait: by its stall reasons, or without them.
void AddDoubtsOfWaiting(const RuleInputs& inputs, Verdict* verdict);
// Of a kernel that is called launch-sized by its duration.
void AddDoubtsOfLaunchSize(const RuleInputs& inputs, Verdict* verdict);

// The level that the doubts leave. Sorts them, the gravest first.
void SetConfidence(Verdict* verdict);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_RULE_CONFIDENCE_H_
