// SPDX-License-Identifier: Apache-2.0
//
// Memory in the report, from one ledger of the recorded allocations and frees.
#ifndef PROF_LIB_ANALYZER_MEMORY_MEMORY_H_
#define PROF_LIB_ANALYZER_MEMORY_MEMORY_H_

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/timeline/iterations.h"
#include "lib/snapshot/model/model.h"
#include "prof/memory_report.h"

namespace prof::analyzer {

// `families` and `iterations`: of all ranges, FindAllRangeFamilies() and FindRunIterations().
[[nodiscard]] MemoryReport DescribeMemory(const model::Model& model, const RangeFamilies& families,
                                          const Iterations& iterations);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_MEMORY_MEMORY_H_
