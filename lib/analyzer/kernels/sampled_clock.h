// SPDX-License-Identifier: Apache-2.0
//
// The SM clock while a kernel ran, as PM samples read it.
#ifndef PROF_LIB_ANALYZER_KERNELS_SAMPLED_CLOCK_H_
#define PROF_LIB_ANALYZER_KERNELS_SAMPLED_CLOCK_H_

#include <cstdint>
#include <vector>

#include "lib/analyzer/base/intervals.h"
#include "lib/analyzer/kernels/kernels.h"
#include "lib/snapshot/model/model.h"
#include "prof/statistic.h"

namespace prof::analyzer {

// Of each kernel group, in Hz: over the samples that overlap one of its launches, each with the
// time for which it does. n is the number of samples; 0: no sample with a clock met a launch. The
// times of samples are taken as they are: a clock changes in milliseconds, and they are known to
// less. Linear in operations and samples, and in their overlaps.
[[nodiscard]] std::vector<Statistic> ReadSampledClocks(const model::Model& model,
                                                       const KernelGroups& groups);

// The median of the samples that lie within `span`, in Hz. 0: fewer than 20 of them read a clock.
[[nodiscard]] double SampledClockHz(const model::Model& model, uint32_t device,
                                    const Interval& span);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_KERNELS_SAMPLED_CLOCK_H_
