// SPDX-License-Identifier: Apache-2.0
//
// The first table: where the span went, by innermost NVTX range.
#ifndef PROF_LIB_ANALYZER_TIME_TABLE_H_
#define PROF_LIB_ANALYZER_TIME_TABLE_H_

#include <vector>

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/continuous/continuous.h"
#include "lib/analyzer/kernels/kernels.h"
#include "lib/analyzer/regions/counted_regions.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

// In the order of first appearance on the timeline, the gaps last. Times sum to `span_ns` exactly:
// they are whole nanoseconds. `kernels` have their verdicts.
std::vector<RangeRow> BuildRows(const model::Model& model, const RangeFamilies& families,
                                const Timeline& timeline, const KernelGroups& kernels,
                                const Wholes& wholes, const Continuous& continuous, double span_ns);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIME_TABLE_H_
