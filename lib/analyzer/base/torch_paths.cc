// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/base/torch_paths.h"

#include <cstddef>
#include <cstdint>

namespace prof::analyzer {

using model::TorchScope;

std::vector<bool> BackwardPaths(const model::Model& model) {
  std::vector<bool> backward(model.paths.size());
  for (uint32_t path = 1; path < model.paths.size(); ++path) {  // parents have smaller ids
    const model::RangePath& node = model.paths[path];
    if (node.torch == TorchScope::kNone) continue;
    backward[path] =
        node.torch == TorchScope::kBackward || model::IsTorchEngine(node) || backward[node.parent];
  }
  return backward;
}

std::vector<bool> BackwardThreads(const model::Model& model, const std::vector<bool>& backward) {
  std::vector<bool> threads(model.threads.size());
  for (size_t thread = 0; thread < model.torch.steps.size() && thread < threads.size(); ++thread) {
    const model::StepTable& steps = model.torch.steps[thread];
    for (size_t i = 0; i < steps.size() && !threads[thread]; ++i) {
      threads[thread] = backward[steps[i].path()];
    }
  }
  return threads;
}

}  // namespace prof::analyzer
