// SPDX-License-Identifier: Apache-2.0
#include "lib/html/gather_stacks.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "lib/analyzer/base/own_frames.h"
#include "lib/analyzer/line_idle.h"

namespace prof::html {
namespace {

using model::Model;

// What was called from each stack, by the stack's id.
class Sums {
 public:
  Sums(const Model& model, const TimelineData& data)
      : model_(model), data_(data), nodes_(model.host_stacks.size()) {}

  void AddOperations(const analyzer::Timeline& timeline, const analyzer::KernelGroups& groups) {
    for (size_t i = 0; i < model_.ops.size(); ++i) {
      const uint32_t stack = model_.StackOf(model_.ops[i]);
      if (stack == model::kNone) continue;
      nodes_[stack].gpu_ns += timeline.exclusive_ns[i];
      ++nodes_[stack].operations;
      const int32_t group = groups.group_of_op[i];
      if (group == model::kNoIndex) continue;
      const int32_t kernel = data_.names[static_cast<size_t>(group)].kernel;
      if (kernel != kNoRow) kernels_.emplace(stack, kernel);
    }
  }

  // As analyzer::SumLines() has it.
  void AddIdle(const analyzer::Timeline& timeline) {
    const std::vector<uint32_t> own_frames = analyzer::OwnFrames(model_);
    for (const auto& [stack, ns] :
         analyzer::ChargeIdle(model_, timeline, own_frames, analyzer::kAllTime)) {
      if (stack != model::kNone) nodes_[stack].idle_ns += std::llround(ns);
    }
  }

  void AddCalls() {
    for (const model::ApiCall& call : model_.api_calls) {
      if (call.stack != model::kNone) nodes_[call.stack].host_ns += call.end_ns - call.start_ns;
    }
  }

  std::vector<StackNode> Take() {
    for (const auto& [stack, kernel] : kernels_) nodes_[stack].kernels.push_back(kernel);
    return std::move(nodes_);
  }

 private:
  const Model& model_;
  const TimelineData& data_;
  std::vector<StackNode> nodes_;
  std::set<std::pair<uint32_t, int32_t>> kernels_;  // by stack
};

bool HasTime(const StackNode& node) {
  return node.operations > 0 || node.host_ns > 0 || node.idle_ns > 0;
}

// Moves the stacks that are needed, and their frames, into the tables of the page.
void Write(const Model& model, std::vector<StackNode> nodes, Stacks* stacks) {
  std::vector<bool> needed(nodes.size());
  for (size_t stack = nodes.size(); stack-- > 1;) {  // a caller has the smaller id
    if (HasTime(nodes[stack])) needed[stack] = true;
    if (needed[stack]) needed[model.host_stacks[stack].parent] = true;
  }
  std::vector<int32_t> rows(nodes.size(), kNoRow), frames(model.host_frames.size(), kNoRow);
  for (size_t stack = 1; stack < nodes.size(); ++stack) {
    if (!needed[stack]) continue;
    const model::HostStack& from = model.host_stacks[stack];
    if (frames[from.frame] == kNoRow) {
      frames[from.frame] = static_cast<int32_t>(stacks->frames.size());
      const model::HostFrame& frame = model.host_frames[from.frame];
      const std::string& file = model.strings[frame.file];
      const bool own = analyzer::OwnershipOf(model, frame) != analyzer::Own::kNo;
      stacks->frames.push_back({model.strings[frame.function],
                                file.empty() ? model.strings[frame.module] : file, frame.line,
                                own});
    }
    StackNode& node = nodes[stack];
    node.parent = rows[from.parent];
    node.frame = static_cast<uint32_t>(frames[from.frame]);
    rows[stack] = static_cast<int32_t>(stacks->nodes.size());
    stacks->nodes.push_back(std::move(node));
  }
}

}  // namespace

void GatherStacks(const Model& model, const analyzer::Timeline& timeline,
                  const analyzer::KernelGroups& groups, TimelineData* data) {
  if (model.host_stacks.size() <= 1) return;
  Sums sums(model, *data);
  sums.AddOperations(timeline, groups);
  sums.AddIdle(timeline);
  sums.AddCalls();
  Write(model, sums.Take(), &data->stacks);
}

}  // namespace prof::html
