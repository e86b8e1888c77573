// SPDX-License-Identifier: Apache-2.0
//
// Theoretical occupancy is computed from the blocks that an SM holds, by CUDA's allocation rules
// for compute capability 7.0 and later.
#ifndef PROF_LIB_ANALYZER_KERNELS_OCCUPANCY_H_
#define PROF_LIB_ANALYZER_KERNELS_OCCUPANCY_H_

#include "lib/snapshot/model/model.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

// Occupancy::achieved is left unset. Occupancy::known is false when the device's limits are not
// recorded, or when they do not admit even one block, which a kernel that ran disproves. Clusters
// can lower it further (all blocks of one share a GPC); that limit is not modelled.
[[nodiscard]] Occupancy ComputeOccupancy(const model::Shape& shape, const model::Device* device);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_KERNELS_OCCUPANCY_H_
