// SPDX-License-Identifier: Apache-2.0
//
// What each NVTX range allocated, and what of it was still there when the recording ended.
#ifndef PROF_LIB_ANALYZER_MEMORY_LEFT_H_
#define PROF_LIB_ANALYZER_MEMORY_LEFT_H_

#include <vector>

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/memory/ledger.h"
#include "lib/snapshot/model/model.h"
#include "prof/memory_report.h"

namespace prof::analyzer {

// By bytes, descending. n log n in the blocks.
[[nodiscard]] std::vector<RangeAllocations> SummarizeRanges(const model::Model& model,
                                                            const RangeFamilies& families,
                                                            const Ledger& ledger);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_MEMORY_LEFT_H_
