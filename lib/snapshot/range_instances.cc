// SPDX-License-Identifier: Apache-2.0
//
// The times that ranges were open, from the steps of each thread's innermost path.
#include <algorithm>
#include <string>
#include <tuple>

#include "lib/snapshot/join.h"
#include "lib/snapshot/reserve.h"

namespace prof::internal {
namespace {

struct Open {
  uint32_t path = 0;
  size_t instance = 0;  // index into Model::instances
};

class Deriver {
 public:
  Deriver(model::Model* model, size_t budget) : model_(model), budget_(budget) {}

  // The thread goes to `path` at `time_ns`. False: too many ranges for the number of steps.
  bool Step(uint32_t thread, uint32_t path, int64_t time_ns) {
    // The path's nodes from the innermost outwards, up to one that is open already.
    opening_.clear();
    size_t keep = 0;
    for (uint32_t node = path; node != 0; node = model_->paths[node].parent) {
      keep = PositionOf(node);
      if (keep != 0) break;
      opening_.push_back(node);
    }
    CloseDownTo(keep, time_ns, true);
    if (opening_.size() > budget_) return false;
    budget_ -= opening_.size();
    for (auto node = opening_.rbegin(); node != opening_.rend(); ++node) {
      open_.push_back({*node, model_->instances.size()});
      model_->instances.push_back({*node, thread, time_ns, time_ns, false});
    }
    return true;
  }

  void CloseDownTo(size_t keep, int64_t time_ns, bool closed) {
    while (open_.size() > keep) {
      model::RangeInstance& instance = model_->instances[open_.back().instance];
      instance.end_ns = std::max(instance.start_ns, time_ns);
      instance.closed = closed;
      open_.pop_back();
    }
  }

 private:
  // 1-based position of `node` on the stack; 0: not there. A stack is a path, so a node can only be
  // where its depth says; most steps find it at the top or just below.
  size_t PositionOf(uint32_t node) const {
    for (size_t i = open_.size(); i > 0; --i) {
      if (open_[i - 1].path == node) return i;
      if (open_[i - 1].path < node) return 0;  // parents have smaller ids than their children
    }
    return 0;
  }

  model::Model* model_;
  size_t budget_;
  std::vector<Open> open_;
  std::vector<uint32_t> opening_;
};

}  // namespace

void DeriveInstances(int64_t end_ns, model::Model* model) {
  // A step opens one range; only lost steps make it more. The bound keeps a hostile file, whose
  // steps jump between two deep paths, from asking for a thousand ranges per step.
  Deriver deriver(model, 8 * model->steps.size() + 1024);
  ReserveRows(model->steps.size() / 2 + 1024, &model->instances);  // a push and a pop are one
  const std::vector<size_t> offsets = StepOffsets(*model);
  for (uint32_t thread = 0; thread + 1 < offsets.size(); ++thread) {
    uint32_t path = 0;
    for (size_t i = offsets[thread]; i < offsets[thread + 1]; ++i) {
      const model::RangeStep& step = model->steps[i];
      if (step.path == path) continue;
      path = step.path;
      if (deriver.Step(thread, path, step.time_ns)) continue;
      if (!model->truncation.empty()) model->truncation += ' ';
      model->truncation +=
          "The range steps jump between unrelated ranges too often to be true: the file is "
          "damaged, and the list of ranges is incomplete.";
      deriver.CloseDownTo(0, step.time_ns, false);
      thread = static_cast<uint32_t>(offsets.size()) - 2;
      break;
    }
    deriver.CloseDownTo(0, end_ns, false);
  }
  const auto less = [](const model::RangeInstance& a, const model::RangeInstance& b) {
    return std::tie(a.start_ns, b.end_ns, a.path, a.thread) <
           std::tie(b.start_ns, a.end_ns, b.path, b.thread);
  };
  // With one thread they come in order.
  std::vector<model::RangeInstance>& instances = model->instances;
  if (!std::is_sorted(instances.begin(), instances.end(), less)) {
    std::sort(instances.begin(), instances.end(), less);
  }
}

}  // namespace prof::internal
