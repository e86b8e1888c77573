// SPDX-License-Identifier: Apache-2.0
//
// The range tree has every NVTX range that was entered, with its time on the host and on the GPU.
#ifndef PROF_LIB_ANALYZER_RANGE_TREE_H_
#define PROF_LIB_ANALYZER_RANGE_TREE_H_

#include <vector>

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/kernels/kernels.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"
#include "prof/timeline_report.h"

namespace prof::analyzer {

// Each node before the nodes in it; siblings by GPU time with inner ranges, descending. The GPU
// times without inner ranges sum to the time of Report::rows that are ranges. Siblings that differ
// in numbers only are one node as in RangeFamilies, where ranges without work of their own count
// as well.
[[nodiscard]] std::vector<RangeNode> BuildRangeTree(const model::Model& model,
                                                    const RangeFamilies& families,
                                                    const Timeline& timeline,
                                                    const KernelGroups& groups);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RANGE_TREE_H_
