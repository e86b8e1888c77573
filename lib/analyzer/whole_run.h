// SPDX-License-Identifier: Apache-2.0
//
// The whole run is what kernels took in a recording that traced them a part of the time. Each
// window is a cluster of launches: the time in it over the launches in it is a ratio, and all
// launches were counted.
#ifndef PROF_LIB_ANALYZER_WHOLE_RUN_H_
#define PROF_LIB_ANALYZER_WHOLE_RUN_H_

#include <optional>

#include "lib/snapshot/model/model.h"
#include "prof/whole_run.h"

namespace prof::analyzer {

// nullopt: launches were not counted. Linear in the operations, but for a search by kernel.
[[nodiscard]] std::optional<WholeRun> EstimateWholeRun(const model::Model& model);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_WHOLE_RUN_H_
