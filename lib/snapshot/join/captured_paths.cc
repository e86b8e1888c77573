// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/join/captured_paths.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace prof::snapshot {
namespace {

// Names repeat, so a small hostile file could ask for any amount of memory. Beyond these bounds
// work keeps the path of its launch.
constexpr size_t kMostPaths = 1 << 16;
constexpr size_t kMostBytes = size_t{64} << 20;

class CapturedPaths {
 public:
  explicit CapturedPaths(model::Model* model) : model_(model) {}

  // The path of work that was launched in `launch` and captured in `captured`.
  uint32_t Of(uint32_t launch, uint32_t captured) {
    const uint64_t key = uint64_t{launch} << 32 | captured;
    const auto known = paths_.find(key);
    if (known != paths_.end()) return known->second;
    const std::string& from = model_->paths[captured].full;
    const std::string& to = model_->paths[launch].full;
    if (paths_.size() >= kMostPaths) return launch;
    const size_t bytes = 2 * (sizeof(model::kCapturedIn) + from.size()) + to.size();
    if (bytes > kMostBytes - bytes_) {
      paths_.emplace(key, launch);
      return launch;
    }
    bytes_ += bytes;
    const std::string name = model::kCapturedIn + from;
    model::RangePath path;
    path.parent = launch;
    path.captured = captured;
    path.name = name;
    path.domain = model_->paths[launch].domain;
    path.full = (launch == model::kNone ? "(no range)" : to) + name;
    const auto id = static_cast<uint32_t>(model_->paths.size());
    model_->paths.push_back(std::move(path));
    paths_.emplace(key, id);
    return id;
  }

 private:
  model::Model* model_;
  std::unordered_map<uint64_t, uint32_t> paths_;
  size_t bytes_ = 0;
};

}  // namespace

void SetCapturedPaths(model::Model* model) {
  if (model->graph_nodes.empty()) return;
  std::unordered_map<uint64_t, uint32_t> captured;  // the last entry of a node counts
  for (const model::GraphNode& node : model->graph_nodes) captured[node.node] = node.path;
  CapturedPaths paths(model);
  for (size_t i = 0; i < model->ops.size(); ++i) {
    const model::Op op = model->ops[i];
    if (op.graph == 0 || op.kind == model::OpKind::kGraph) continue;
    const auto found = captured.find(op.graph_node);
    if (found == captured.end() || found->second == model::kNone || found->second == op.path) {
      continue;
    }
    model->ops.SetPath(i, paths.Of(op.path, found->second));
  }
}

}  // namespace prof::snapshot
