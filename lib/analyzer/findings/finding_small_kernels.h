// SPDX-License-Identifier: Apache-2.0
//
// The finding about kernels so short that the GPU waits for the next one most of the time.
#ifndef PROF_LIB_ANALYZER_FINDINGS_FINDING_SMALL_KERNELS_H_
#define PROF_LIB_ANALYZER_FINDINGS_FINDING_SMALL_KERNELS_H_

#include <vector>

#include "lib/analyzer/findings/finding_inputs.h"
#include "lib/analyzer/kernels/kernels.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

inline constexpr char kSmallKernelsFinding[] = "small-kernels";

[[nodiscard]] MaybeFinding SmallKernels(const RunInputs& inputs);

// Takes off the bound of that finding what a fused kernel would still read from DRAM. `kernels` are
// parallel to the groups. What small kernels write stays in L2 until the next one, so what they
// read from DRAM is something else, such as weights. Linear in operations.
void KeepDramReads(const model::Model& model, const Timeline& timeline, const KernelGroups& groups,
                   const std::vector<KernelReport>& kernels, std::vector<Finding>* findings);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_FINDINGS_FINDING_SMALL_KERNELS_H_
