// SPDX-License-Identifier: Apache-2.0
//
// The NVTX ranges become a tree of families, with the time of each.
#ifndef PROF_LIB_HTML_GATHER_RANGES_H_
#define PROF_LIB_HTML_GATHER_RANGES_H_

#include <cstdint>
#include <vector>

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/html/timeline_data.h"
#include "lib/snapshot/model/model.h"

namespace prof::html {

// By path id: the place in TimelineData::ranges; kNoRow for path 0, which is outside all ranges.
using RangeRows = std::vector<int32_t>;

[[nodiscard]] RangeRows GatherRanges(const model::Model& model,
                                     const analyzer::RangeFamilies& families,
                                     const analyzer::Timeline& timeline, TimelineData* data);

}  // namespace prof::html

#endif  // PROF_LIB_HTML_GATHER_RANGES_H_
