// SPDX-License-Identifier: Apache-2.0
//
// The stage "decided": kernels and counted regions get their verdicts, by the rules in rules/.
#ifndef PROF_LIB_ANALYZER_DECIDE_H_
#define PROF_LIB_ANALYZER_DECIDE_H_

#include <vector>

#include "lib/analyzer/kernels/inheritance.h"
#include "lib/analyzer/kernels/kernels.h"
#include "lib/analyzer/regions/counted_regions.h"
#include "lib/snapshot/model/model.h"
#include "prof/kernel_report.h"
#include "prof/report.h"

namespace prof::analyzer {

// Parallel to CountedRegions::regions.
[[nodiscard]] std::vector<RegionReport> DecideRegions(const model::Model& model,
                                                      const CountedRegions& counted,
                                                      double undisturbed_ns);

// Parallel to KernelGroups::groups, as `courses` is.
[[nodiscard]] std::vector<KernelReport> DecideKernels(
    const model::Model& model, const KernelGroups& groups, const Inherited& counted,
    const std::vector<LaunchCourse>& courses, const CountedRegions& counted_regions,
    const std::vector<RegionReport>& regions, double undisturbed_ns);

// `kernels` by total time, descending.
[[nodiscard]] VerdictCoverage CoverVerdicts(const std::vector<KernelReport>& kernels);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_DECIDE_H_
