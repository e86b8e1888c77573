// SPDX-License-Identifier: Apache-2.0
//
// A suspicion is a cause that nobody looked for: an action without a bound, with the counters that
// would decide.
#ifndef PROF_LIB_ANALYZER_RULES_RULE_SUSPICIONS_H_
#define PROF_LIB_ANALYZER_RULES_RULE_SUSPICIONS_H_

#include <string>
#include <string_view>

#include "lib/analyzer/rules/rule_inputs.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

// `what` comes before "not measured". The confidence is medium at most: of 53 kernels of the zoo
// whose unit was clear, 9 had such a cause (docs/internals/evaluation.md).
void AddSuspicion(std::string_view id, const std::string& what, const std::string& way,
                  Verdict* verdict);

// Of a kernel or region that a unit of memory limits: sectors that are used in part, local memory.
void SuspectSectors(const RuleInputs& inputs, Verdict* verdict);

// Of a kernel that no unit limits, and whose stalls were not read: what to read first, and what it
// may wait for by the use of its units. Sets `missing`.
void SuspectWaits(const RuleInputs& inputs, Verdict* verdict);

// L2 has hardly any work and DRAM none. Loads of device memory in such a kernel would not be late;
// atomics on few addresses, and memory behind a link, are.
[[nodiscard]] bool LooksBehindLink(const RuleInputs& inputs);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_RULE_SUSPICIONS_H_
