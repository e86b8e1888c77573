// SPDX-License-Identifier: Apache-2.0
//
// The table of warp stall reasons has all that is known about each: what the warp waits for, and
// what to do. docs/guide/rules.md has the table.
#ifndef PROF_LIB_ANALYZER_RULES_RULE_STALLS_H_
#define PROF_LIB_ANALYZER_RULES_RULE_STALLS_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "prof/kernel_report.h"

namespace prof::analyzer {

struct StallAdvice {
  std::string_view reason;
  std::string_view waits_for;
  std::string_view action_id;  // of rule_actions.h
  std::string_view action;
  // What the action may make less of, besides the waits. docs/internals/gains.md has the reasons.
  std::initializer_list<Unit> relieves = {};
  bool hidden_by_warps = false;  // more resident warps would hide it
  std::string_view remark = {};  // behind the action, on the page
  GainKind kind = GainKind::kSameWork;
};

// An unknown reason has an entry of its own.
const StallAdvice& AdviceOn(std::string_view reason);

[[nodiscard]] const std::vector<StallAdvice>& StallRows();

// The table of docs/guide/rules.md, in Markdown. The entry of unknown reasons comes last.
[[nodiscard]] std::string StallTable();

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_RULE_STALLS_H_
