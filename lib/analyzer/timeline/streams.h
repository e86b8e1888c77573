// SPDX-License-Identifier: Apache-2.0
//
// The streams that ran something, with their kind and how much they ran.
#ifndef PROF_LIB_ANALYZER_TIMELINE_STREAMS_H_
#define PROF_LIB_ANALYZER_TIMELINE_STREAMS_H_

#include <vector>

#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

// By time, descending.
[[nodiscard]] std::vector<StreamReport> DescribeStreams(const model::Model& model);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_STREAMS_H_
