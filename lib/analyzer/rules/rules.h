// SPDX-License-Identifier: Apache-2.0
//
// The rules: what limits a kernel, what is worth changing in a run. docs/rules.md documents each
// with its threshold and its source. Pure functions of what they are given.
#ifndef PROF_LIB_ANALYZER_RULES_RULES_H_
#define PROF_LIB_ANALYZER_RULES_RULES_H_

#include <vector>

#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

// The verdict on a kernel whose facts, metrics, occupancy, roofline and durations are filled in.
// `device` may be null: rules that need its limits then do not fire.
Verdict JudgeKernel(const KernelReport& kernel, const model::Device* device);

// Verdict on a graph or range that was counted as a whole: the unit that limits it, or unknown. Its
// metrics, times and parts are filled in.
Verdict JudgeWhole(const WholeReport& whole, const model::Device* device);

// Findings about the run. `report` is complete but for its findings and rows.
std::vector<Finding> FindInRun(const model::Model& model, const Timeline& timeline,
                               const Report& report);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_RULES_H_
