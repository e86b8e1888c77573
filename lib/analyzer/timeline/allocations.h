// SPDX-License-Identifier: Apache-2.0
//
// Allocations while they were recorded, by kind, pool and NVTX range, and the peak of each. Memory
// that was allocated before the recording began is not included.
#ifndef PROF_LIB_ANALYZER_TIMELINE_ALLOCATIONS_H_
#define PROF_LIB_ANALYZER_TIMELINE_ALLOCATIONS_H_

#include "lib/analyzer/base/families.h"
#include "lib/snapshot/model/model.h"
#include "prof/memory_report.h"

namespace prof::analyzer {

// Without MemoryReport::unified.
[[nodiscard]] MemoryReport SummarizeAllocations(const model::Model& model,
                                                const RangeFamilies& families);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_ALLOCATIONS_H_
