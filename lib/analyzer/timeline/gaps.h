// SPDX-License-Identifier: Apache-2.0
//
// Idle time by device and cause, with its longest stretch told in words.
#ifndef PROF_LIB_ANALYZER_TIMELINE_GAPS_H_
#define PROF_LIB_ANALYZER_TIMELINE_GAPS_H_

#include <vector>

#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

// By total, descending. Gaps that counter sampling caused are not idle time and not in here.
std::vector<GapSummary> SummarizeGaps(const model::Model& model, const Timeline& timeline);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_GAPS_H_
