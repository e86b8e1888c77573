// SPDX-License-Identifier: Apache-2.0
//
// The timeline of the page is gathered from a model: what ran, what the host did, what was sampled.
#ifndef PROF_LIB_HTML_GATHER_H_
#define PROF_LIB_HTML_GATHER_H_

#include "lib/html/timeline_data.h"
#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::html {

// `report` is that of the same recording. Takes time in proportion to the records: 0.4 us each.
[[nodiscard]] TimelineData Gather(const model::Model& model, const Report& report);

}  // namespace prof::html

#endif  // PROF_LIB_HTML_GATHER_H_
