// SPDX-License-Identifier: Apache-2.0
//
// What the paths of ops of PyTorch stand for, and the threads on which the autograd engine works.
#ifndef PROF_LIB_ANALYZER_BASE_TORCH_PATHS_H_
#define PROF_LIB_ANALYZER_BASE_TORCH_PATHS_H_

#include <vector>

#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// By path: true for the paths of nodes of the autograd graph, of what was called in them, and of
// what the engine does around them.
[[nodiscard]] std::vector<bool> BackwardPaths(const model::Model& model);

// By thread id: true for those that were in a path of `backward`.
[[nodiscard]] std::vector<bool> BackwardThreads(const model::Model& model,
                                                const std::vector<bool>& backward);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_TORCH_PATHS_H_
