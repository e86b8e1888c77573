// SPDX-License-Identifier: Apache-2.0
//
// This file sorts CUDA API calls by name: a launch, a copy, a wait. Names are as CUPTI spells them,
// with or without their version suffixes ("cudaLaunchKernel_v7000", "cuMemAlloc_v2_ptsz").
#ifndef PROF_LIB_SNAPSHOT_MODEL_API_CLASS_H_
#define PROF_LIB_SNAPSHOT_MODEL_API_CLASS_H_

#include <string_view>

#include "lib/snapshot/model/api_call.h"

namespace prof::model {

[[nodiscard]] ApiClass ClassifyApi(std::string_view name);

// True when the call returns only after GPU work has finished, whatever its arguments are: waits,
// copies that are not Async, and allocations and frees without a pool, which synchronize inside the
// driver. (An Async copy of pageable memory also blocks, but the name does not show that.)
[[nodiscard]] bool BlocksHost(std::string_view name);

}  // namespace prof::model

#endif  // PROF_LIB_SNAPSHOT_MODEL_API_CLASS_H_
