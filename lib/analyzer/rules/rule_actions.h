// SPDX-License-Identifier: Apache-2.0
//
// The table of the actions that a verdict on a kernel may name. An action has a stable id, its kind
// and its sentence here; the rule that makes it adds the bound. docs/guide/rules.md has the table.
#ifndef PROF_LIB_ANALYZER_RULES_RULE_ACTIONS_H_
#define PROF_LIB_ANALYZER_RULES_RULE_ACTIONS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prof/action.h"

namespace prof::analyzer {

struct ActionRow {
  std::string_view id;
  GainKind kind;
  std::string_view what;
  std::string_view bound;  // where the bound comes from, for the documentation
};

// An upper bound, and its formula with the numbers. nullopt: nothing that was measured bounds it,
// and `floor` has the reason.
struct Bound {
  std::optional<double> gain;
  std::string floor;
};

// All rows, those of the stalls included.
[[nodiscard]] std::vector<ActionRow> ActionRows();

// `id` is one of the table's. The gain is held to 0..1.
[[nodiscard]] Action MakeAction(std::string_view id, const Bound& bound, std::string check = "");

// The work stays as it is: it is done nearer to a ceiling, or by more of the GPU.
[[nodiscard]] bool KeepsWork(const Action& action);

// The table of docs/guide/rules.md, in Markdown.
[[nodiscard]] std::string ActionTable();

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_RULE_ACTIONS_H_
