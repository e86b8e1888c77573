// SPDX-License-Identifier: Apache-2.0
//
// These rules apply when no unit is busy: warps wait, for data or for more blocks. They hold for
// kernels only. A Fill function may rely on its condition.
#ifndef PROF_LIB_ANALYZER_RULES_VERDICT_LATENCY_H_
#define PROF_LIB_ANALYZER_RULES_VERDICT_LATENCY_H_

#include "lib/analyzer/rules/rule_inputs.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

// Only when no stall explains the kernel.
[[nodiscard]] bool PartialWavePrimary(const RuleInputs& inputs);
[[nodiscard]] bool OccupancyLimited(const RuleInputs& inputs);
[[nodiscard]] bool Waiting(const RuleInputs& inputs);
// Reads and writes of the kernel, those that stay in L2 included, are at DRAM's limit: whoever runs
// next pays for the bytes that L2 still has to write.
[[nodiscard]] bool WritesLater(const RuleInputs& inputs);
// Warps wait most of the time, for several things, none of which stands out.
[[nodiscard]] bool WaitsForSeveral(const RuleInputs& inputs);
// More warps would be resident if blocks took less of an SM, and would find blocks to run.
[[nodiscard]] bool HasBlocksForWarps(const RuleInputs& inputs);
// Names what limits them. Only where the condition before holds.
[[nodiscard]] Action RaiseOccupancy(const RuleInputs& inputs);
// All units are known, and no stall.
[[nodiscard]] bool NoUnitBusy(const RuleInputs& inputs);
void FillWritesLater(const RuleInputs& inputs, Verdict* verdict);
void FillPartialWave(const RuleInputs& inputs, Verdict* verdict);
void FillOccupancy(const RuleInputs& inputs, Verdict* verdict);
void FillLatency(const RuleInputs& inputs, Verdict* verdict);
void FillSeveralStalls(const RuleInputs& inputs, Verdict* verdict);
void FillNoUnitBusy(const RuleInputs& inputs, Verdict* verdict);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_VERDICT_LATENCY_H_
