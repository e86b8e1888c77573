// SPDX-License-Identifier: Apache-2.0
//
// Memory pools of the driver: what they took from their device, what of it was allocated, and how
// much lay unused when they took more.
#ifndef PROF_LIB_ANALYZER_MEMORY_POOLS_H_
#define PROF_LIB_ANALYZER_MEMORY_POOLS_H_

#include <cstdint>
#include <vector>

#include "lib/snapshot/model/model.h"
#include "prof/memory_report.h"

namespace prof::analyzer {

// By the most that they reserved, descending.
[[nodiscard]] std::vector<PoolReport> SummarizePools(const model::Model& model);

// What all local pools had reserved, and nobody used, by their last states at or before `time_ns`.
[[nodiscard]] uint64_t UnusedInPools(const model::Model& model, int64_t time_ns);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_MEMORY_POOLS_H_
