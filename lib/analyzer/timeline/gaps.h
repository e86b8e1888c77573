// SPDX-License-Identifier: Apache-2.0
//
// Idle time is summed up by device and cause; the longest gap of each is described in words.
#ifndef PROF_LIB_ANALYZER_TIMELINE_GAPS_H_
#define PROF_LIB_ANALYZER_TIMELINE_GAPS_H_

#include <vector>

#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

// By total, descending. Time that prof disturbed is no idle time and is left out.
[[nodiscard]] std::vector<GapSummary> SummarizeGaps(const model::Model& model,
                                                    const Timeline& timeline);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_GAPS_H_
