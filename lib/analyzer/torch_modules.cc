// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/torch_modules.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "lib/analyzer/base/torch_paths.h"
#include "lib/analyzer/torch_table.h"

namespace prof::analyzer {
namespace {

using model::Model;
using model::TorchScope;

constexpr int kMostParts = 64;  // of a name: modules nest less deep

// The modules of a model, by name.
class Modules {
 public:
  Modules(const Model& model, const Timeline& timeline, const KernelGroups& groups,
          const std::vector<KernelReport>& kernels)
      : model_(model), row_of_path_(model.paths.size(), -1), backward_(BackwardPaths(model)) {
    FindRows();
    if (rows_.empty()) return;
    for (const model::RangeInstance& instance : model.torch.instances) AddCall(instance);
    for (size_t i = 0; i < model.ops.size(); ++i) {
      const model::TorchPlace place = model.torch.PlaceOf(i);
      if (place.module == model::kNone) continue;
      const int32_t group = groups.group_of_op[i];
      AddWork(place, timeline.exclusive_ns[i],
              group == model::kNoIndex ? nullptr : &kernels[static_cast<size_t>(group)].verdict);
    }
  }

  void Build(TorchReport* report) {
    std::vector<std::vector<int32_t>> inner(rows_.size());
    std::vector<int32_t> left;
    for (size_t row = rows_.size(); row-- > 0;) {  // the last one first: `left` is a stack
      const int32_t outer = rows_[row].module.parent;
      (outer < 0 ? left : inner[static_cast<size_t>(outer)]).push_back(static_cast<int32_t>(row));
    }
    std::vector<int32_t> place(rows_.size());
    while (!left.empty()) {
      const auto row = static_cast<size_t>(left.back());
      left.pop_back();
      left.insert(left.end(), inner[row].begin(), inner[row].end());
      TorchModule& module = rows_[row].module;
      place[row] = static_cast<int32_t>(report->modules.size());
      if (module.parent >= 0) module.parent = place[static_cast<size_t>(module.parent)];
      module.limiters = LimiterTimes(rows_[row].limiters);
      report->modules.push_back(std::move(module));
    }
    report->gpu_in_modules_ns = gpu_ns_;
  }

 private:
  struct Row {
    TorchModule module;
    std::map<Limiter, int64_t> limiters;
    uint64_t counted = 0;  // the piece of work that it has already
  };

  // A row for each name, in the order of first calls, and its parent: the longest name that its own
  // begins with.
  void FindRows() {
    std::unordered_map<std::string_view, int32_t> by_name;
    for (size_t path = 1; path < model_.paths.size(); ++path) {
      if (model_.paths[path].torch != TorchScope::kModule) continue;
      const std::string& name = model_.paths[path].name;
      const auto [found, is_new] = by_name.emplace(name, static_cast<int32_t>(rows_.size()));
      if (is_new) rows_.emplace_back().module.name = name;
      row_of_path_[path] = found->second;
    }
    for (Row& row : rows_) {
      std::string_view outer = row.module.name;
      for (int i = 0; i < kMostParts && row.module.parent < 0; ++i) {
        const size_t dot = outer.rfind('.');
        if (dot == std::string_view::npos) break;
        outer = outer.substr(0, dot);
        const auto found = by_name.find(outer);
        if (found != by_name.end()) row.module.parent = found->second;
      }
    }
  }

  Row& RowOf(uint32_t path) { return rows_[static_cast<size_t>(row_of_path_[path])]; }

  void AddCall(const model::RangeInstance& instance) {
    const int32_t row = row_of_path_[instance.path];
    if (row < 0) return;
    TorchModule& module = RowOf(instance.path).module;
    ++module.calls;
    for (uint32_t at = model_.paths[instance.path].parent; at != model::kNone;
         at = model_.paths[at].parent) {
      if (row_of_path_[at] == row) return;  // it calls itself: the outer call has the time
    }
    module.cpu_ns += static_cast<double>(instance.end_ns - instance.start_ns);
  }

  void AddWork(const model::TorchPlace& place, int64_t time_ns, const Verdict* verdict) {
    ++work_;
    gpu_ns_ += static_cast<double>(time_ns);
    RowOf(place.module).module.gpu_self_ns += static_cast<double>(time_ns);
    const bool backward = backward_[place.op];
    for (uint32_t at = place.module; at != model::kNone; at = model_.paths[at].parent) {
      // By its name it is also in modules that did not call it now: a checkpoint calls a layer
      // alone.
      for (int32_t row = row_of_path_[at]; row >= 0;) {
        Row& around = rows_[static_cast<size_t>(row)];
        if (around.counted == work_) break;
        around.counted = work_;
        AddTo(&around, time_ns, backward, verdict);
        row = around.module.parent;
      }
    }
  }

  static void AddTo(Row* row, int64_t time_ns, bool backward, const Verdict* verdict) {
    const auto time = static_cast<double>(time_ns);
    (backward ? row->module.backward_ns : row->module.forward_ns) += time;
    ++row->module.launches;
    if (verdict == nullptr) return;
    row->limiters[verdict->limiter] += time_ns;
    row->module.gain_at_most_ns += verdict->known_gain().value_or(0) * time;
  }

  const Model& model_;
  std::vector<int32_t> row_of_path_;  // -1: no module
  const std::vector<bool> backward_;  // by path
  std::vector<Row> rows_;
  uint64_t work_ = 0;
  double gpu_ns_ = 0;
};

}  // namespace

void AddTorchModules(const Model& model, const Timeline& timeline, const KernelGroups& groups,
                     const std::vector<KernelReport>& kernels, TorchReport* report) {
  if (report->recorded) Modules(model, timeline, groups, kernels).Build(report);
}

void SetTorchModules(const Model& model, const Timeline& timeline, const KernelGroups& groups,
                     std::vector<KernelReport>* kernels) {
  if (!model.torch.recorded()) return;
  const std::vector<bool> backward = BackwardPaths(model);
  using Key = std::pair<std::string, bool>;  // name, backward
  std::vector<std::map<Key, KernelModule>> of_group(kernels->size());
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const int32_t group = groups.group_of_op[i];
    const model::TorchPlace place = model.torch.PlaceOf(i);
    if (group == model::kNoIndex || place.module == model::kNone) continue;
    KernelModule& module = of_group[static_cast<size_t>(group)]
                                   [Key(model.paths[place.module].name, backward[place.op])];
    module.time_ns += static_cast<double>(timeline.exclusive_ns[i]);
    ++module.launches;
  }
  for (size_t group = 0; group < of_group.size(); ++group) {
    std::vector<KernelModule>& modules = (*kernels)[group].torch_modules;
    for (auto& [key, module] : of_group[group]) {
      std::tie(module.name, module.backward) = key;
      modules.push_back(std::move(module));
    }
    std::stable_sort(modules.begin(), modules.end(),
                     [](const KernelModule& a, const KernelModule& b) {
                       return std::tie(b.time_ns, b.launches) < std::tie(a.time_ns, a.launches);
                     });
  }
}

}  // namespace prof::analyzer
