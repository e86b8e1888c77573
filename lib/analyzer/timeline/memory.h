// SPDX-License-Identifier: Apache-2.0
//
// What was allocated and freed while it was recorded, by kind, pool and NVTX range, and how much of
// it there was at one time. Memory that was allocated before the recording began is in no figure.
#ifndef PROF_LIB_ANALYZER_TIMELINE_MEMORY_H_
#define PROF_LIB_ANALYZER_TIMELINE_MEMORY_H_

#include "lib/analyzer/base/families.h"
#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

// Without MemoryReport::unified.
MemoryReport SummarizeAllocations(const model::Model& model, const RangeFamilies& families);

std::vector<UnifiedMemorySummary> SummarizeUnifiedMemory(const model::Model& model);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_MEMORY_H_
