// SPDX-License-Identifier: Apache-2.0
//
// Untraced launches are not on the timeline: prof kept them out of the trace, because they were
// replayed or because their counters cannot be read in a traced kernel. The counters have their
// time, and the callback their launch.
#ifndef PROF_LIB_ANALYZER_KERNELS_UNTRACED_LAUNCHES_H_
#define PROF_LIB_ANALYZER_KERNELS_UNTRACED_LAUNCHES_H_

#include <cstdint>
#include <map>
#include <vector>

#include "lib/analyzer/kernels/counters.h"
#include "lib/analyzer/kernels/kernels.h"
#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// False for the shape of a launch that only the callback saw: every kernel has registers.
[[nodiscard]] bool HasResources(const model::Shape& shape);

// By shape id: the shape that stands for it. A shape that only untraced launches have is replaced
// by the first shape with this kernel and launch that CUPTI recorded, if there is one: CUPTI gives
// the registers of the traced kernel (16 or more on GH100), the callback those of the program's
// kernel.
[[nodiscard]] std::vector<uint32_t> JoinShapes(const model::Model& model);

// The groups with times for those that have no launch on the timeline: their times are those of
// their counters. A group without counters keeps no time.
[[nodiscard]] KernelGroups TimeByCounters(KernelGroups groups, const CountedKernels& counted);

// By device: the time that only counters know, in whole nanoseconds. It adds to the busy time.
[[nodiscard]] std::map<uint32_t, int64_t> UntracedTimes(const KernelGroups& groups);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_KERNELS_UNTRACED_LAUNCHES_H_
