// SPDX-License-Identifier: Apache-2.0
//
// When the driver loaded or compiled code, by thread.
#ifndef PROF_LIB_ANALYZER_TIMELINE_LOADING_TIMES_H_
#define PROF_LIB_ANALYZER_TIMELINE_LOADING_TIMES_H_

#include <vector>

#include "lib/analyzer/base/intervals.h"
#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// By thread id: CUPTI's overhead records, and the calls that load code (ApiCall::loads_code) of
// which CUPTI recorded no overhead, as a whole.
[[nodiscard]] std::vector<Intervals> LoadingTimes(const model::Model& model);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_LOADING_TIMES_H_
