// SPDX-License-Identifier: Apache-2.0
//
// The lines sum the GPU's time by the lines of source that launched it, and its idle time by
// those in which the host was meanwhile.
#ifndef PROF_LIB_ANALYZER_LINES_H_
#define PROF_LIB_ANALYZER_LINES_H_

#include <vector>

#include "lib/analyzer/kernels/kernels.h"
#include "lib/analyzer/timeline/iterations.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

// `kernels` is parallel to the groups, `steps` are the iterations of the run (none: it has no
// steps). Linear in operations, gaps and stacks.
[[nodiscard]] LinesReport SumLines(const model::Model& model, const Timeline& timeline,
                                   const KernelGroups& groups,
                                   const std::vector<KernelReport>& kernels,
                                   const Iterations& steps);

// Fills KernelReport::lines. `kernels`: by group.
void SetLines(const model::Model& model, const Timeline& timeline, const KernelGroups& groups,
              std::vector<KernelReport>* kernels);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_LINES_H_
