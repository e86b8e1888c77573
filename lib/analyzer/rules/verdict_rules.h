// SPDX-License-Identifier: Apache-2.0
//
// What limits a kernel is decided here. Causes (rule_causes.h) compete with the units by the time
// that they free. Where none wins, the table of verdicts (verdict_table.h) is evaluated in order:
// the first rule that matches is the verdict.
#ifndef PROF_LIB_ANALYZER_RULES_VERDICT_RULES_H_
#define PROF_LIB_ANALYZER_RULES_VERDICT_RULES_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/analyzer/rules/rule_inputs.h"
#include "lib/snapshot/model/model.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

// Inputs of a verdict that are not in the report of the kernel.
struct KernelContext {
  const RegionReport* region = nullptr;  // the counted region with most of its time; may be null
  std::vector<std::string> notes;        // on values that were read and not used
};

// How Verdict::runner_up begins where no other unit is next.
inline constexpr std::string_view kWaitingWarps = "warps that wait";

// `kernel` is complete but for its verdict. `device` may be null: rules that need its limits then
// do not match.
[[nodiscard]] Verdict DecideKernel(const KernelReport& kernel, const model::Device* device,
                                   const KernelContext& context = {});

// Only the rules that name a unit. False: none of them matches, and `verdict` is unchanged.
[[nodiscard]] bool DecideUnits(const RuleInputs& inputs, Verdict* verdict);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_VERDICT_RULES_H_
