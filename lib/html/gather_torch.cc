// SPDX-License-Identifier: Apache-2.0
#include "lib/html/gather_torch.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "lib/analyzer/torch_table.h"

namespace prof::html {

void GatherTorch(const model::Model& model, const Report& report,
                 const analyzer::KernelGroups& groups, TimelineData* data) {
  if (!model.torch.recorded()) return;
  std::set<std::pair<uint32_t, int32_t>> launched;  // paths of ops, and the kernels in them
  for (size_t i = 0; i < model.torch.places.size(); ++i) {
    const int32_t group = groups.group_of_op[i];
    if (group == model::kNoIndex) continue;
    const int32_t kernel = data->names[static_cast<size_t>(group)].kernel;
    if (kernel == kNoRow) continue;
    uint32_t path = model.torch.places[i].op;
    while (path != model::kNone && launched.emplace(path, kernel).second) {
      path = model.paths[path].parent;  // which has them too, where this one had them before
    }
  }
  const std::vector<int32_t> rows = analyzer::TorchRows(model, report.torch);
  std::vector<std::set<int32_t>> of_op(report.torch.ops.size());
  for (const auto& [path, kernel] : launched) {
    const int32_t row = rows[path];
    if (row != model::kNoIndex) of_op[static_cast<size_t>(row)].insert(kernel);
  }
  for (const std::set<int32_t>& kernels : of_op) {
    data->op_kernels.emplace_back(kernels.begin(), kernels.end());
  }
}

}  // namespace prof::html
