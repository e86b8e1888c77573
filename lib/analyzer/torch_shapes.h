// SPDX-License-Identifier: Apache-2.0
//
// The table of ops of PyTorch by the shapes of their inputs: what each op cost with each of them.
#ifndef PROF_LIB_ANALYZER_TORCH_SHAPES_H_
#define PROF_LIB_ANALYZER_TORCH_SHAPES_H_

#include <vector>

#include "lib/analyzer/kernels/kernels.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"
#include "prof/torch_report.h"

namespace prof::analyzer {

// TorchReport::ops_by_shapes; empty: no shapes were recorded. `kernels`: by group, decided.
[[nodiscard]] std::vector<TorchOp> BuildTorchShapes(const model::Model& model,
                                                    const Timeline& timeline,
                                                    const KernelGroups& groups,
                                                    const std::vector<KernelReport>& kernels);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TORCH_SHAPES_H_
