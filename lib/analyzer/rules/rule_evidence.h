// SPDX-License-Identifier: Apache-2.0
//
// The evidence of a verdict: lines with a number, its unit and its metric. A line is added only
// when its metric was measured.
#ifndef PROF_LIB_ANALYZER_RULES_RULE_EVIDENCE_H_
#define PROF_LIB_ANALYZER_RULES_RULE_EVIDENCE_H_

#include <string>
#include <string_view>

#include "lib/analyzer/rules/rule_inputs.h"
#include "lib/format/depth.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

[[nodiscard]] std::string NameOf(Unit unit);  // "DRAM"
// "91.3 %"; by PM samples with the error, "91.3 +-0.8 %".
[[nodiscard]] std::string PercentOf(const UnitUse& unit);
[[nodiscard]] std::string DescribeUse(const UnitUse& unit);  // "DRAM 91.3 % of peak"

// The way to what a verdict lacks: "record for longer, or with --counters stalls". --counters auto
// reads by need, in time; a level reads all that belongs to it. Of a CUDA graph's kernel only PM
// samples answer, and only the use of its units.
[[nodiscard]] std::string WayTo(const RuleInputs& inputs, format::Needs needs);
// "the use of DRAM and L2 (record for longer, or with --counters sol)"; of the unknown units.
[[nodiscard]] std::string MissingUses(const RuleInputs& inputs);

// `scale` turns CUPTI's unit into `unit`.
void AddMetric(const RuleInputs& inputs, std::string_view label, std::string_view unit,
               std::string_view metric, Verdict* verdict, double scale = 1);
void AddUnit(const RuleInputs& inputs, const UnitUse& unit, Verdict* verdict);
void AddBusiestUnits(const RuleInputs& inputs, Verdict* verdict);  // three
// What PM samples do not give of a kernel, with the reasons.
void AddMissingPmValues(const RuleInputs& inputs, Verdict* verdict);
void AddTraffic(const RuleInputs& inputs, Verdict* verdict);
void AddMemoryAccess(const RuleInputs& inputs, Verdict* verdict);
void AddWarps(const RuleInputs& inputs, Verdict* verdict);
void AddGrid(const RuleInputs& inputs, Verdict* verdict);  // for kernels only
void AddActivity(const RuleInputs& inputs, Verdict* verdict);
void AddStalls(const RuleInputs& inputs, Verdict* verdict);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_RULE_EVIDENCE_H_
