// SPDX-License-Identifier: Apache-2.0
//
// The ids of all rules, so that a test can hold docs/rules.md against the code.
#ifndef PROF_LIB_ANALYZER_RULES_RULE_IDS_H_
#define PROF_LIB_ANALYZER_RULES_RULE_IDS_H_

#include <string_view>
#include <vector>

namespace prof::analyzer {

std::vector<std::string_view> VerdictRuleIds();  // Verdict::rule, in order of evaluation
std::vector<std::string_view> NoteIds();         // what Verdict::notes start with: "<id>: "
std::vector<std::string_view> FindingIds();      // Finding::id

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_RULE_IDS_H_
