// SPDX-License-Identifier: Apache-2.0
//
// This file finds the node of the autograd graph that work between nodes is of.
//
// PyTorch's engine runs a node in a function of its own, "evaluate_function: MulBackward0". Behind
// the node and still in that function it sums the node's results to the sizes of its inputs, and
// adds them to other gradients: work of this node. A gradient that is complete goes to
// AccumulateGrad, which has no number. The engine takes these before all other nodes, so that they
// run directly behind the node that completed the gradient, on the same thread: one thread serves a
// device, and a gradient is on the device of its node. A node that moves a gradient to another
// device completes it on the thread of its own device: where another thread ran nodes meanwhile,
// the node is not known. Both are conclusions from the order of events, not records.
#ifndef PROF_LIB_SNAPSHOT_JOIN_NODE_BEFORE_H_
#define PROF_LIB_SNAPSHOT_JOIN_NODE_BEFORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "lib/snapshot/model/model.h"

namespace prof::snapshot {

// What a search looks at, so that a hostile file costs no more. Backward nodes that run inside of
// others (reentrant checkpoints) are few; steps are those of one node, or between an op and the
// next one.
constexpr size_t kMostSequences = 64, kMostSteps = 4096;
// The engine has a thread for each device, and one for each backward pass under way.
constexpr size_t kMostEngineThreads = 256;

// The nodes that ran with a number; by thread, sorted by time.
using NumberedNodes = std::vector<std::vector<const model::TorchSequence*>>;

class NodeBefore {
 public:
  // Both outlive it; steps and nodes are sorted. Linear in the paths and the threads.
  NodeBefore(const model::Model* model, const NumberedNodes* nodes);

  // Of work that `thread` launched in `op`, which has no number of its own, at `time_ns`. nullptr:
  // not known. Bounded by the steps of a node and of what accumulates its gradients, and
  // logarithmic in those of each other thread that ran nodes.
  [[nodiscard]] const model::TorchSequence* Of(uint32_t op, uint32_t thread, int64_t time_ns) const;

 private:
  // The path that a thread was in from `begin_ns` to `end_ns`.
  struct Stay {
    uint32_t path = 0;
    int64_t begin_ns = 0, end_ns = 0;
  };

  [[nodiscard]] const model::TorchSequence* Last(uint32_t thread, int64_t time_ns,
                                                 const std::function<bool(uint32_t)>& fits) const;
  [[nodiscard]] bool AllSince(uint32_t thread, int64_t since_ns, int64_t time_ns,
                              const std::function<bool(const Stay&)>& fits) const;
  [[nodiscard]] bool OthersRan(uint32_t thread, int64_t since_ns, int64_t time_ns) const;
  [[nodiscard]] const model::TorchSequence* InFunction(uint32_t function, uint32_t thread,
                                                       int64_t time_ns) const;
  [[nodiscard]] const model::TorchSequence* ThatCompleted(uint32_t function, uint32_t thread,
                                                          int64_t time_ns) const;

  const model::Model& model_;
  const NumberedNodes& nodes_;
  std::vector<uint32_t> function_of_;  // by path: the engine's function around it; 0: none
  std::vector<bool> accumulates_;      // by path: such a function runs AccumulateGrad
  std::vector<uint32_t> runners_;      // threads that ran nodes
};

}  // namespace prof::snapshot

#endif  // PROF_LIB_SNAPSHOT_JOIN_NODE_BEFORE_H_
