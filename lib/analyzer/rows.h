// SPDX-License-Identifier: Apache-2.0
//
// The first table: where the span went, by innermost NVTX range.
#ifndef PROF_LIB_ANALYZER_ROWS_H_
#define PROF_LIB_ANALYZER_ROWS_H_

#include <vector>

#include "lib/analyzer/continuous.h"
#include "lib/analyzer/families.h"
#include "lib/analyzer/kernels.h"
#include "lib/analyzer/timeline.h"
#include "lib/analyzer/wholes.h"
#include "lib/snapshot/model.h"
#include "prof/report.h"

namespace prof::analyzer {

// In the order of first appearance on the timeline, the gaps last. Times sum to `span_ns` exactly:
// they are whole nanoseconds. `kernels` have their verdicts.
std::vector<RangeRow> BuildRows(const model::Model& model, const RangeFamilies& families,
                                const Timeline& timeline, const KernelGroups& kernels,
                                const Wholes& wholes, const Continuous& continuous, double span_ns);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_ROWS_H_
