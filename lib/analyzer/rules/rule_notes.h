// SPDX-License-Identifier: Apache-2.0
//
// Notes stand beside the verdict on a kernel: other things that are worth knowing about it. Each
// needs metrics of its own; without them it is left out.
#ifndef PROF_LIB_ANALYZER_RULES_RULE_NOTES_H_
#define PROF_LIB_ANALYZER_RULES_RULE_NOTES_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/analyzer/rules/rule_inputs.h"

namespace prof::analyzer {

// "bank-conflicts: ..."; without the notes that would repeat the verdict of `rule`.
[[nodiscard]] std::vector<std::string> FindNotes(const RuleInputs& inputs, std::string_view rule);

// A row of docs/guide/rules.md.
struct NoteRow {
  std::string_view id;         // each note starts with "<id>: "
  std::string_view condition;  // with the source of each threshold
  std::string_view content;
  std::string_view wrong;  // a wrong answer would be
};
// In the order in which a verdict lists them.
[[nodiscard]] std::vector<NoteRow> NoteRows();

// The table of docs/guide/rules.md, in Markdown.
[[nodiscard]] std::string NoteTable();

// Conditions that verdicts use as well.
[[nodiscard]] bool HasTail(const RuleInputs& inputs);
[[nodiscard]] bool IsImbalanced(const RuleInputs& inputs);
// The last wave is partial, and the activity of the SMs was not measured.
[[nodiscard]] bool MayHaveTail(const RuleInputs& inputs);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_RULE_NOTES_H_
