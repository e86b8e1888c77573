// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/join/range_instances.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace prof::snapshot {
namespace {

struct Open {
  uint32_t path = 0;
  size_t instance = 0;  // index into Model::instances
  int64_t start_ns = 0;
};

class Deriver {
 public:
  Deriver(const std::vector<model::RangePath>* paths, size_t budget,
          model::InstanceTable* instances)
      : paths_(*paths), instances_(*instances), budget_(budget) {}

  // Records that the thread goes to `path` at `time_ns`. False: this opens more ranges than the
  // number of steps allows.
  bool Step(uint32_t thread, const model::RangeStep& step) {
    const int64_t time_ns = step.time_ns();
    const uint32_t path = step.path();
    // The nodes of the path from the innermost outwards, up to the first that is open already.
    opening_.clear();
    size_t keep = 0;
    for (uint32_t node = path; node != 0 && paths_[node].torch != model::TorchScope::kOutside;
         node = paths_[node].parent) {
      keep = PositionOf(node);
      if (keep != 0) break;
      opening_.push_back(node);
    }
    if (step.opens() && opening_.empty() && keep != 0) {  // another range with the same path
      --keep;
      opening_.push_back(path);
    }
    CloseDownTo(keep, time_ns, true);
    if (opening_.size() > budget_) return false;
    budget_ -= opening_.size();
    for (auto node = opening_.rbegin(); node != opening_.rend(); ++node) {
      open_.push_back({*node, instances_.size(), time_ns});
      instances_.push_back({*node, thread, time_ns, time_ns, false});
    }
    return true;
  }

  void CloseDownTo(size_t keep, int64_t time_ns, bool closed) {
    while (open_.size() > keep) {
      const Open& range = open_.back();
      instances_.SetEnd(range.instance, std::max(range.start_ns, time_ns), closed);
      open_.pop_back();
    }
  }

 private:
  // The position of `node` on the stack, from 1; 0: it is not there. Most steps find it at the top
  // or just below.
  size_t PositionOf(uint32_t node) const {
    for (size_t i = open_.size(); i > 0; --i) {
      if (open_[i - 1].path == node) return i;
      if (open_[i - 1].path < node) return 0;  // parents have smaller ids than their children
    }
    return 0;
  }

  const std::vector<model::RangePath>& paths_;
  model::InstanceTable& instances_;
  size_t budget_;
  std::vector<Open> open_;
  std::vector<uint32_t> opening_;
};

using StepsOfThreads = std::vector<model::StepTable>;

void Derive(int64_t end_ns, const StepsOfThreads& steps_of, model::Model* model,
            model::InstanceTable* instances) {
  size_t steps = 0;
  for (const model::StepTable& of_thread : steps_of) steps += of_thread.size();
  // A step opens one range, or more where steps were lost. Without this bound the steps of a
  // hostile file could jump between two deep paths and open a thousand ranges each.
  Deriver deriver(&model->paths, 8 * steps + 1024, instances);
  bool plausible = true;
  for (uint32_t thread = 0; plausible && thread < steps_of.size(); ++thread) {
    uint32_t path = 0;
    model::StepTable::Reader steps_of_thread(steps_of[thread]);
    for (size_t i = 0; i < steps_of[thread].size(); ++i) {
      const model::RangeStep step = steps_of_thread[i];
      if (step.path() == path && !step.opens()) continue;
      path = step.path();
      plausible = deriver.Step(thread, step);
      if (plausible) continue;
      if (!model->truncation.empty()) model->truncation += ' ';
      model->truncation +=
          "The range steps jump between unrelated ranges too often to be true: the file is "
          "damaged, and the list of ranges is incomplete.";
      deriver.CloseDownTo(0, step.time_ns(), false);
      break;
    }
    deriver.CloseDownTo(0, end_ns, false);
  }
  instances->Sort();
}

}  // namespace

void DeriveInstances(int64_t end_ns, model::Model* model) {
  Derive(end_ns, model->steps, model, &model->instances);
}

void DeriveTorchInstances(int64_t end_ns, model::Model* model) {
  Derive(end_ns, model->torch.steps, model, &model->torch.instances);
}

}  // namespace prof::snapshot
