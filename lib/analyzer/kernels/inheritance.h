// SPDX-License-Identifier: Apache-2.0
//
// The stage "inherited": a signature without counters of its own takes those of the same kernel
// elsewhere in the process: under another NVTX path, from the eager warm-up of a CUDA graph, from
// another stream or context. The same is the device, the kernel, grid, block, cluster and shared
// memory, and about the same time: where one kernel takes different times it does different work,
// and lends nothing. Of PM samples a signature may have some of its own that leave units open; then
// the lender's values agree with those that it has.
#ifndef PROF_LIB_ANALYZER_KERNELS_INHERITANCE_H_
#define PROF_LIB_ANALYZER_KERNELS_INHERITANCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/analyzer/kernels/counters.h"
#include "lib/analyzer/kernels/kernels.h"
#include "lib/snapshot/model/model.h"
#include "prof/continuous_report.h"

namespace prof::analyzer {

// How far two median durations may be apart, of the longer one. One kernel at one place took up to
// 14.6 % longer or shorter in its samples than on the timeline (transformer layer, H200): less
// tells nothing apart.
constexpr double kSameDuration = 0.15;

struct Inherited {
  CountedKernels counted;                    // own ones, or else the lender's
  std::vector<ContinuousValues> continuous;  // the same, of PM samples
  // Parallel to the groups: "the same kernel under `warmup`, 5 samples"; empty: own ones, or none.
  std::vector<std::string> counters_from, continuous_from;
};

// Each signature takes from one lender, the one with most samples (of equal ones, the one that is
// nearest in time); nothing is mixed, and what is lent is not lent again. A signature with PM
// samples of its own takes those of a lender that has as many or more, knows more units, and agrees
// about each unit that both know: the two values are no further apart than their error bounds
// together.
[[nodiscard]] Inherited InheritCounters(const model::Model& model, const KernelGroups& groups,
                                        const CountedKernels& counted,
                                        const std::vector<ContinuousValues>& continuous);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_KERNELS_INHERITANCE_H_
