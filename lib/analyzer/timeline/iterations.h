// SPDX-License-Identifier: Apache-2.0
//
// The iterations of a run: the instances of the outermost NVTX range that is entered again and
// again.
#ifndef PROF_LIB_ANALYZER_TIMELINE_ITERATIONS_H_
#define PROF_LIB_ANALYZER_TIMELINE_ITERATIONS_H_

#include <cstddef>
#include <vector>

#include "lib/analyzer/base/families.h"
#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// Closed instances of one family on one thread, in the order of time; those with most time from
// push to pop of the outermost families that have `least` instances or more. A family is outermost
// when none of the ranges around it has so many. Empty: there is none.
[[nodiscard]] std::vector<model::RangeInstance> FindIterations(const model::Model& model,
                                                               const RangeFamilies& families,
                                                               size_t least);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_ITERATIONS_H_
