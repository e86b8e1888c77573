// SPDX-License-Identifier: Apache-2.0
//
// A suspicion is a cause that nobody looked for: an action without a bound, with the counters that
// would decide. The table has all that is known about each; docs/guide/rules.md has it as well.
#ifndef PROF_LIB_ANALYZER_RULES_RULE_SUSPICIONS_H_
#define PROF_LIB_ANALYZER_RULES_RULE_SUSPICIONS_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/analyzer/rules/rule_inputs.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

// Of a kernel or region that a unit of memory limits: sectors that are used in part, local memory.
void SuspectSectors(const RuleInputs& inputs, Verdict* verdict);

// Of a kernel or region that shared memory limits: bank conflicts.
void SuspectConflicts(const RuleInputs& inputs, Verdict* verdict);

// Of a kernel that no unit limits, and whose stalls were not read: what to read first, and what it
// may wait for by the use of its units. Sets `missing`.
void SuspectWaits(const RuleInputs& inputs, Verdict* verdict);

// L2 has hardly any work and DRAM none. Loads of device memory in such a kernel would not be late;
// atomics on few addresses, and memory behind a link, are.
[[nodiscard]] bool LooksBehindLink(const RuleInputs& inputs);

// A row of docs/guide/rules.md.
struct SuspicionRow {
  std::string_view action;     // its id
  std::string_view condition;  // beside the place; with the source of each threshold
};
// In the order in which a verdict lists them.
[[nodiscard]] std::vector<SuspicionRow> SuspicionRows();

// The table of docs/guide/rules.md, in Markdown.
[[nodiscard]] std::string SuspicionTable();

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_RULE_SUSPICIONS_H_
