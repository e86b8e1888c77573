// SPDX-License-Identifier: Apache-2.0
//
// The step table describes the steps of a run one by one, and what all of them consist of.
#ifndef PROF_LIB_ANALYZER_STEP_TABLE_H_
#define PROF_LIB_ANALYZER_STEP_TABLE_H_

#include <vector>

#include "lib/analyzer/kernels/kernels.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"
#include "prof/step_report.h"

namespace prof::analyzer {

// `kernels`: by group, decided. Takes n log n in the records.
[[nodiscard]] StepsReport BuildStepTable(const model::Model& model, const Timeline& timeline,
                                         const KernelGroups& groups,
                                         const std::vector<KernelReport>& kernels);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_STEP_TABLE_H_
