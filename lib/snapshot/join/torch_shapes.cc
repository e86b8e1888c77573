// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/join/torch_shapes.h"

#include <algorithm>
#include <tuple>

namespace prof::snapshot {
namespace {

using model::InstanceTable;
using model::kNoIndex;
using model::RangeInstance;
using model::TorchShapes;

auto Place(const TorchShapes& shapes) {
  return std::tuple(shapes.thread, shapes.time_ns, shapes.path);
}

// Ops that begin at one reading of the clock.
constexpr size_t kMostAtOnce = 64;

// Parents have smaller ids than their children.
bool IsIn(const model::Model& model, uint32_t path, uint32_t outer) {
  while (path > outer) path = model.paths[path].parent;
  return path == outer;
}

}  // namespace

void JoinTorchShapes(model::Model* model) {
  model::TorchOps& torch = model->torch;
  if (torch.shapes.empty()) return;
  // A block may repeat the step into an op that is open: both have the same shapes.
  std::stable_sort(torch.shapes.begin(), torch.shapes.end(),
                   [](const auto& a, const auto& b) { return Place(a) < Place(b); });
  const InstanceTable& instances = torch.instances;
  torch.shapes_of_instance.assign(instances.size(), model::kNone);
  torch.instance_around.assign(instances.size(), kNoIndex);
  std::vector<std::vector<int32_t>> open(model->threads.size());
  for (size_t i = 0; i < instances.size(); ++i) {
    const RangeInstance instance = instances[i];
    const auto wanted = std::tuple(instance.thread, instance.start_ns, instance.path);
    const auto shapes =
        std::lower_bound(torch.shapes.begin(), torch.shapes.end(), wanted,
                         [](const TorchShapes& a, const auto& b) { return Place(a) < b; });
    if (shapes != torch.shapes.end() && Place(*shapes) == wanted) {
      torch.shapes_of_instance[i] = shapes->text;
    }
    std::vector<int32_t>& around = open[instance.thread];
    while (!around.empty()) {
      const RangeInstance outer = instances[static_cast<size_t>(around.back())];
      const bool has_ended = outer.end_ns < instance.start_ns ||
                             (outer.end_ns == instance.start_ns && instance.end_ns > outer.end_ns);
      if (!has_ended && outer.path != instance.path && IsIn(*model, instance.path, outer.path)) {
        torch.instance_around[i] = around.back();
        break;
      }
      around.pop_back();
    }
    around.push_back(static_cast<int32_t>(i));
  }
}

TorchInstances::TorchInstances(const model::Model* model) : model_(*model) {
  of_thread_.resize(model_.threads.size());
  const InstanceTable& instances = model_.torch.instances;
  for (size_t i = 0; i < instances.size(); ++i) {
    const RangeInstance instance = instances[i];
    of_thread_[instance.thread].push_back({instance.start_ns, static_cast<int32_t>(i)});
  }
}

size_t TorchInstances::BegunUntil(uint32_t thread, int64_t time_ns) const {
  if (thread >= of_thread_.size()) return 0;
  const std::vector<Begun>& mine = of_thread_[thread];
  const auto end = std::partition_point(
      mine.begin(), mine.end(), [&](const Begun& begun) { return begun.start_ns <= time_ns; });
  return static_cast<size_t>(end - mine.begin());
}

int32_t TorchInstances::At(uint32_t thread, int64_t time_ns) const {
  const size_t begun = BegunUntil(thread, time_ns);
  if (begun == 0) return kNoIndex;
  int32_t at = of_thread_[thread][begun - 1].instance;
  while (at != kNoIndex && model_.torch.instances[static_cast<size_t>(at)].end_ns <= time_ns) {
    at = model_.torch.instance_around[static_cast<size_t>(at)];
  }
  return at;
}

int32_t TorchInstances::Of(uint32_t thread, uint32_t path, int64_t begin_ns) const {
  for (size_t begun = BegunUntil(thread, begin_ns); begun > 0; --begun) {
    const auto [start_ns, at] = of_thread_[thread][begun - 1];
    if (start_ns != begin_ns) break;
    if (model_.torch.instances[static_cast<size_t>(at)].path == path) return at;
  }
  return kNoIndex;
}

int32_t TorchInstances::LastOf(uint32_t thread, uint32_t path, int64_t time_ns) const {
  size_t begun = BegunUntil(thread, time_ns);
  for (size_t i = 0; i < kMostAtOnce && begun > 0; ++i) {
    const int32_t at = of_thread_[thread][--begun].instance;
    if (model_.torch.instances[static_cast<size_t>(at)].path == path) return at;
  }
  return kNoIndex;
}

}  // namespace prof::snapshot
