// SPDX-License-Identifier: Apache-2.0
//
// This file finds the nodes of the autograd graph that ran, and the op that made each of them.
#ifndef PROF_LIB_SNAPSHOT_JOIN_TORCH_NODES_H_
#define PROF_LIB_SNAPSHOT_JOIN_TORCH_NODES_H_

#include <cstdint>
#include <vector>

#include "lib/snapshot/model/model.h"

namespace prof::snapshot {

// Both are indices in TorchOps::instances; kNoIndex: not known.
struct TorchNode {
  int32_t node = model::kNoIndex, maker = model::kNoIndex;
  uint64_t number = 0;
};

// Sorted by the node. Of a model that has been read. For each node logarithmic in the ops of a
// thread.
[[nodiscard]] std::vector<TorchNode> FindTorchNodes(const model::Model& model);

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_JOIN_TORCH_NODES_H_
