// SPDX-License-Identifier: Apache-2.0
//
// The calls of the CUDA API by function: how many, and how long they held their threads up, without
// what prof did in them: a sampled launch has CUPTI's counter range in it, which takes 50 us to 1
// ms.
#ifndef PROF_LIB_ANALYZER_TIMELINE_API_SUMMARY_H_
#define PROF_LIB_ANALYZER_TIMELINE_API_SUMMARY_H_

#include <vector>

#include "lib/snapshot/model/model.h"
#include "prof/timeline_report.h"

namespace prof::analyzer {

// By time, descending; equal times by name.
[[nodiscard]] std::vector<ApiSummary> SummarizeApiCalls(const model::Model& model);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_API_SUMMARY_H_
