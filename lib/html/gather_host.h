// SPDX-License-Identifier: Apache-2.0
//
// What threads did becomes tracks: NVTX ranges, calls that waited for the GPU and other long calls,
// and what prof itself did.
#ifndef PROF_LIB_HTML_GATHER_HOST_H_
#define PROF_LIB_HTML_GATHER_HOST_H_

#include "lib/html/gather_ranges.h"
#include "lib/html/timeline_data.h"
#include "lib/snapshot/model/model.h"

namespace prof::html {

// Of many ranges and calls only the longest are kept; Track::left_out has the others.
void GatherHost(const model::Model& model, const RangeRows& rows, TimelineData* data);

}  // namespace prof::html

#endif  // PROF_LIB_HTML_GATHER_HOST_H_
