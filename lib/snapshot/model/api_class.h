// SPDX-License-Identifier: Apache-2.0
//
// What a CUDA API call is, by its name: a launch, a copy, a wait. Names are taken as CUPTI spells
// them, with or without their version suffixes ("cudaLaunchKernel_v7000", "cuMemAlloc_v2_ptsz").
#ifndef PROF_LIB_SNAPSHOT_MODEL_API_CLASS_H_
#define PROF_LIB_SNAPSHOT_MODEL_API_CLASS_H_

#include <string_view>

#include "lib/snapshot/model/model.h"

namespace prof {

// "cudaMemcpyAsync_v3020_ptsz" -> "cudaMemcpyAsync".
std::string_view WithoutApiSuffix(std::string_view name);

model::ApiClass ClassifyApi(std::string_view name);

// True when the call returns only after GPU work has finished, whatever its arguments are: waits,
// copies that are not Async, and allocation and release outside a pool, which synchronize inside
// the driver. (An Async copy of pageable memory also blocks; that takes its record to know.)
bool BlocksHost(std::string_view name);

}  // namespace prof

#endif  // PROF_LIB_SNAPSHOT_MODEL_API_CLASS_H_
