// SPDX-License-Identifier: Apache-2.0
//
// This file joins CUDA API calls with their ranges, and with the operations that they launched.
#ifndef PROF_LIB_SNAPSHOT_JOIN_CALLS_H_
#define PROF_LIB_SNAPSHOT_JOIN_CALLS_H_

#include "lib/snapshot/model/model.h"

namespace prof::snapshot {

// All of them need sorted tables.

// Sets the class of each call from its name.
void ClassifyCalls(model::Model* model);

// Sets the innermost range of each call.
void SetCallPaths(model::Model* model);

// Gives operations, allocations and frees their call and its range. Needs SetCallPaths() before it.
void JoinOps(model::Model* model);

// Gives changes of tensors' memory the range of their thread.
void SetTensorPaths(model::Model* model);

// Marks the calls within which the driver loads code, as it does at the first launch of a kernel.
void MarkLoading(model::Model* model);

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_JOIN_CALLS_H_
