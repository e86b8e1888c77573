// SPDX-License-Identifier: Apache-2.0
//
// This file finds the forward op of backward work by the numbers of autograd nodes.
//
// Each thread counts the nodes that it makes. An op of the forward pass is recorded with the number
// that the next node will get, where that has changed. So node N was made between two moments of a
// thread, by the op that began last before the second one: PyTorch makes the node first, and calls
// inner ops then. Modules and marked scopes make none. A node runs later, maybe on another thread,
// and is recorded with its number. Threads count alone: where two of them have made a node N,
// nobody knows which one is meant, and the forward op stays unknown. Work between nodes is that of
// the node before it (node_before.h).
#ifndef PROF_LIB_SNAPSHOT_JOIN_TORCH_FORWARD_H_
#define PROF_LIB_SNAPSHOT_JOIN_TORCH_FORWARD_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "lib/snapshot/join/node_before.h"
#include "lib/snapshot/model/model.h"

namespace prof::snapshot {

class TorchForward {
 public:
  // `model` outlives it; steps and sequences are sorted.
  explicit TorchForward(const model::Model* model);

  // Path ids, the host stack of the first call of CUDA in the forward op, and on which thread and
  // when it began. 0: not known, or `op` is of no backward pass.
  struct Place {
    uint32_t op = 0, range = 0, stack = 0, thread = 0;
    int64_t begin_ns = 0;
    bool inferred = false;  // by the node before
  };
  // Of work that `thread` launched in `op` at `time_ns`. Logarithmic in the steps of a thread for
  // each node; later work of the same node is looked up.
  [[nodiscard]] Place Of(uint32_t op, uint32_t thread, int64_t time_ns);

  // The op that made the node with this number. Logarithmic in the steps of each thread that makes
  // nodes.
  [[nodiscard]] Place MakerOf(uint64_t number) const;

 private:
  // From here on the next node of the thread will get `number`.
  struct Change {
    int64_t time_ns = 0;
    uint64_t number = 0;
    uint32_t path = 0;
  };

  // A call of CUDA with a stack.
  struct Call {
    int64_t start_ns = 0;
    uint32_t stack = 0;
  };

  void CollectCalls();
  [[nodiscard]] uint32_t NodeAround(uint32_t op) const;
  [[nodiscard]] const model::TorchSequence* SequenceOf(uint32_t node, uint32_t thread,
                                                       int64_t time_ns) const;
  [[nodiscard]] Place MakerBefore(uint32_t thread, const Change& change) const;
  [[nodiscard]] uint32_t StackIn(uint32_t thread, size_t step) const;

  const model::Model& model_;
  std::vector<std::vector<Change>> changes_;  // by thread
  std::vector<uint32_t> makers_;              // threads with changes
  NumberedNodes backwards_;
  std::vector<std::vector<Call>> calls_;       // of makers; by thread
  std::unordered_map<uint64_t, Place> known_;  // by the node's number
  NodeBefore before_;
};

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_JOIN_TORCH_FORWARD_H_
