// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/join/torch_nodes.h"

#include <algorithm>
#include <cstddef>

#include "lib/snapshot/join/torch_forward.h"
#include "lib/snapshot/join/torch_shapes.h"

namespace prof::snapshot {

std::vector<TorchNode> FindTorchNodes(const model::Model& model) {
  std::vector<TorchNode> nodes;
  if (!model.torch.recorded()) return nodes;
  const TorchForward forward(&model);
  const TorchInstances instances(&model);
  for (uint32_t thread = 0; thread < model.torch.sequences.size(); ++thread) {
    for (const model::TorchSequence& sequence : model.torch.sequences[thread]) {
      if (model.paths[sequence.path].torch != model::TorchScope::kBackward) continue;
      const int32_t node = instances.LastOf(thread, sequence.path, sequence.time_ns);
      if (node == model::kNoIndex) continue;
      const TorchForward::Place maker = forward.MakerOf(sequence.number);
      nodes.push_back(
          {node, instances.Of(maker.thread, maker.op, maker.begin_ns), sequence.number});
    }
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const TorchNode& a, const TorchNode& b) { return a.node < b.node; });
  return nodes;
}

}  // namespace prof::snapshot
