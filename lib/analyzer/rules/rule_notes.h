// SPDX-License-Identifier: Apache-2.0
//
// What is worth knowing about a kernel beside the thing that limits it.
#ifndef PROF_LIB_ANALYZER_RULES_RULE_NOTES_H_
#define PROF_LIB_ANALYZER_RULES_RULE_NOTES_H_

#include <string>
#include <vector>

#include "lib/analyzer/rules/rule_inputs.h"

namespace prof::analyzer {

// "bank-conflicts: ..."; notes that would repeat the primary verdict `rule` are left out.
std::vector<std::string> FindNotes(const Facts& facts, std::string_view rule);

// Shared by notes and verdicts.
bool HasTail(const Facts& facts);
bool IsImbalanced(const Facts& facts);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_RULE_NOTES_H_
