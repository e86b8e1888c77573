// SPDX-License-Identifier: Apache-2.0
//
// This file joins the ops of PyTorch with the operations of the GPU that were launched in them.
#ifndef PROF_LIB_SNAPSHOT_JOIN_TORCH_OPS_H_
#define PROF_LIB_SNAPSHOT_JOIN_TORCH_OPS_H_

#include "lib/snapshot/model/model.h"

namespace prof::snapshot {

// Moves the steps and the payloads of ops to Model::torch, so that Model::steps and Model::payloads
// are of NVTX alone. Before anything else is joined.
void TakeTorchOps(model::Model* model);

// Fills TorchOps::places: the op and the module around each launch, or around the capture of its
// node of a CUDA graph, and what makes backward work known as that of a forward op
// (torch_forward.h). Fills TorchOps::calls as well, where shapes were recorded. Once steps and
// calls are sorted, operations have their calls, and shapes are joined.
void JoinTorchOps(model::Model* model);

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_JOIN_TORCH_OPS_H_
