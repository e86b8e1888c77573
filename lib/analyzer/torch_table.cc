// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/torch_table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "lib/analyzer/base/torch_paths.h"

namespace prof::analyzer {
namespace {

using model::Model;
using model::TorchScope;

// What happened in one path of ops itself; then, for `inclusive`, in the paths below it as well.
struct OpTimes {
  int64_t calls = 0, host_ns = 0, gpu_ns = 0, launches = 0, backward_gpu_ns = 0;
  std::map<Limiter, int64_t> limiters;

  void Add(const OpTimes& other) {
    gpu_ns += other.gpu_ns;
    launches += other.launches;
    backward_gpu_ns += other.backward_gpu_ns;
    for (const auto& [limiter, time_ns] : other.limiters) limiters[limiter] += time_ns;
  }
};

class Table {
 public:
  Table(const Model& model, const Timeline& timeline, const KernelGroups& groups,
        const std::vector<KernelReport>& kernels)
      : model_(model), backward_(BackwardPaths(model)), own_(model.paths.size()) {
    for (const model::RangeInstance& instance : model.torch.instances) {
      ++own_[instance.path].calls;
      own_[instance.path].host_ns += instance.end_ns - instance.start_ns;
    }
    for (size_t i = 0; i < model.ops.size(); ++i) {
      const model::TorchPlace place = model.torch.PlaceOf(i);
      const int64_t time_ns = timeline.exclusive_ns[i];
      report_.gpu_ns += static_cast<double>(time_ns);
      if (place.op == model::kNone) continue;
      OpTimes& own = own_[place.op];
      own.gpu_ns += time_ns;
      ++own.launches;
      const int32_t group = groups.group_of_op[i];
      if (group != model::kNoIndex) own.limiters[kernels[group].verdict.limiter] += time_ns;
      report_.gpu_in_ops_ns += static_cast<double>(time_ns);
      if (!backward_[place.op]) continue;
      report_.backward_ns += static_cast<double>(time_ns);
      if (place.forward_op == model::kNone) continue;
      report_.forward_known_ns += static_cast<double>(time_ns);
      own_[place.forward_op].backward_gpu_ns += time_ns;
      if (place.forward_inferred) {
        report_.forward_inferred_ns += static_cast<double>(time_ns);
        continue;  // it is around a node, or of one that many ops feed
      }
      makers_[NodeOf(place.op)][place.forward_op] += time_ns;
    }
  }

  TorchReport Build() {
    report_.recorded = true;
    std::vector<OpTimes> inclusive = own_;
    std::vector<int64_t> inner_host_ns(model_.paths.size());
    for (size_t path = model_.paths.size(); path-- > 1;) {
      if (!IsOp(path)) continue;
      const uint32_t parent = OpAbove(path);
      if (!IsOp(parent)) continue;
      inclusive[parent].Add(inclusive[path]);
      inner_host_ns[parent] += own_[path].host_ns;
    }
    for (uint32_t path = 1; path < model_.paths.size(); ++path) {
      if (!IsOp(path)) continue;
      if (own_[path].calls == 0 && inclusive[path].launches == 0) continue;
      Row& row = rows_[KeyOf(path)];
      row.op.calls += own_[path].calls;
      row.op.cpu_self_ns += static_cast<double>(own_[path].host_ns - inner_host_ns[path]);
      row.op.gpu_self_ns += static_cast<double>(own_[path].gpu_ns);
      AddMakers(path, &row);
      if (IsInItself(path)) continue;  // the outer one has its time
      row.op.cpu_ns += static_cast<double>(own_[path].host_ns);
      row.op.gpu_ns += static_cast<double>(inclusive[path].gpu_ns);
      row.op.launches += inclusive[path].launches;
      row.op.backward_gpu_ns += static_cast<double>(inclusive[path].backward_gpu_ns);
      for (const auto& [limiter, time_ns] : inclusive[path].limiters) {
        row.limiters[limiter] += time_ns;
      }
    }
    for (auto& [key, row] : rows_) report_.ops.push_back(Finish(key, &row));
    std::stable_sort(report_.ops.begin(), report_.ops.end(),
                     [](const TorchOp& a, const TorchOp& b) {
                       return std::tie(b.gpu_self_ns, b.cpu_self_ns, a.name) <
                              std::tie(a.gpu_self_ns, a.cpu_self_ns, b.name);
                     });
    return std::move(report_);
  }

 private:
  using Key = std::tuple<std::string, TorchScope, bool>;  // name, scope, backward

  struct Row {
    TorchOp op;
    std::map<Limiter, int64_t> limiters;
    std::map<std::string, int64_t> makers;  // by the name of the forward op
  };

  bool IsOp(size_t path) const { return analyzer::IsOp(model_.paths[path].torch); }

  // The op that called it, modules left out.
  uint32_t OpAbove(size_t path) const {
    do path = model_.paths[path].parent;
    while (model_.paths[path].torch == TorchScope::kModule);
    return static_cast<uint32_t>(path);
  }

  Key KeyOf(uint32_t path) const {
    return {model_.paths[path].name, model_.paths[path].torch, backward_[path]};
  }

  // The innermost node of the autograd graph around a path in the backward pass.
  uint32_t NodeOf(uint32_t path) const {
    while (model_.paths[path].torch != TorchScope::kBackward) path = model_.paths[path].parent;
    return path;
  }

  bool IsInItself(uint32_t path) const {
    const Key key = KeyOf(path);
    for (uint32_t at = OpAbove(path); IsOp(at); at = OpAbove(at)) {
      if (KeyOf(at) == key) return true;
    }
    return false;
  }

  void AddMakers(uint32_t path, Row* row) const {
    const auto makers = makers_.find(path);
    if (makers == makers_.end()) return;
    for (const auto& [maker, time_ns] : makers->second) {
      row->makers[model_.paths[maker].name] += time_ns;
    }
  }

  static TorchOp Finish(const Key& key, Row* row) {
    std::tie(row->op.name, std::ignore, row->op.backward) = key;
    row->op.kind = KindOf(std::get<TorchScope>(key));
    row->op.limiters = LimiterTimes(row->limiters);
    const auto most =
        std::max_element(row->makers.begin(), row->makers.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most != row->makers.end()) row->op.forward = most->first;
    return std::move(row->op);
  }

  const Model& model_;
  const std::vector<bool> backward_;                        // by path
  std::vector<OpTimes> own_;                                // by path
  std::map<uint32_t, std::map<uint32_t, int64_t>> makers_;  // of nodes: GPU time by op
  std::map<Key, Row> rows_;
  TorchReport report_;
};

// By path, as the rows of a report name it. A range in which no operation ran has no row; it may
// have the backward pass of ops that ran in it, and is of the family of all such ranges.
std::vector<std::string> LabelsOfPaths(const Model& model, const RangeFamilies& families) {
  const RangeFamilies all = FindAllRangeFamilies(model);
  std::vector<bool> used(model.paths.size());
  for (const model::Op& op : model.ops) used[op.path] = true;
  std::vector<std::string> labels(model.paths.size());
  for (size_t path = 0; path < labels.size(); ++path) {
    const RangeFamilies& of = used[path] ? families : all;
    labels[path] = path == model::kNone ? "(no range)" : of.label[of.of_path[path]];
  }
  return labels;
}

// The forward pass of each range, and the backward pass that belongs to it.
std::vector<TorchRange> RangesWithBackward(const Model& model, const RangeFamilies& families,
                                           const Timeline& timeline) {
  const std::vector<bool> backward = BackwardPaths(model);
  std::map<uint32_t, TorchRange> of_path;
  bool any = false;
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const model::TorchPlace place = model.torch.PlaceOf(i);
    const auto time_ns = static_cast<double>(timeline.exclusive_ns[i]);
    if (place.op == model::kNone || !backward[place.op]) {
      of_path[model.ops[i].path].forward_ns += time_ns;
    } else if (place.forward_op != model::kNone) {
      of_path[place.forward_range].backward_ns += time_ns;
      any = true;
    }
  }
  std::vector<TorchRange> list;
  if (!any) return list;
  const std::vector<std::string> labels = LabelsOfPaths(model, families);
  std::map<std::string, size_t> places;  // in `list`, by label
  for (const auto& [path, times] : of_path) {
    const auto [place, added] = places.try_emplace(labels[path], list.size());
    if (added) list.emplace_back().label = labels[path];
    list[place->second].forward_ns += times.forward_ns;
    list[place->second].backward_ns += times.backward_ns;
  }
  std::stable_sort(list.begin(), list.end(), [](const TorchRange& a, const TorchRange& b) {
    return a.forward_ns + a.backward_ns > b.forward_ns + b.backward_ns;
  });
  return list;
}

}  // namespace

bool IsOp(TorchScope scope) {
  return scope != TorchScope::kNone && scope != TorchScope::kOutside &&
         scope != TorchScope::kModule;
}

TorchOp::Kind KindOf(TorchScope scope) {
  if (scope == TorchScope::kBackward) return TorchOp::Kind::kNode;
  return scope == TorchScope::kUser ? TorchOp::Kind::kUser : TorchOp::Kind::kFunction;
}

std::vector<LimiterTime> LimiterTimes(const std::map<Limiter, int64_t>& limiters) {
  std::vector<LimiterTime> times;
  times.reserve(limiters.size());
  for (const auto& [limiter, time_ns] : limiters) {
    times.push_back({limiter, static_cast<double>(time_ns)});
  }
  std::stable_sort(times.begin(), times.end(), [](const LimiterTime& a, const LimiterTime& b) {
    return a.time_ns > b.time_ns;
  });
  return times;
}

TorchReport BuildTorchTable(const Model& model, const RangeFamilies& families,
                            const Timeline& timeline, const KernelGroups& groups,
                            const std::vector<KernelReport>& kernels) {
  if (!model.torch.recorded()) return {};
  TorchReport report = Table(model, timeline, groups, kernels).Build();
  report.ranges = RangesWithBackward(model, families, timeline);
  return report;
}

void SetTorchOps(const Model& model, const Timeline& timeline, const KernelGroups& groups,
                 std::vector<KernelReport>* kernels) {
  if (!model.torch.recorded()) return;
  const std::vector<bool> backward = BackwardPaths(model);
  using Key = std::tuple<std::string, std::string, bool>;  // name, forward, backward
  std::vector<std::map<Key, KernelOp>> of_group(kernels->size());
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const int32_t group = groups.group_of_op[i];
    const model::TorchPlace place = model.torch.PlaceOf(i);
    if (group == model::kNoIndex || place.op == model::kNone) continue;
    const std::string forward =
        place.forward_op == model::kNone ? "" : model.paths[place.forward_op].name;
    const Key key(model.paths[place.op].name, forward, backward[place.op]);
    KernelOp& op = of_group[static_cast<size_t>(group)][key];
    op.time_ns += static_cast<double>(timeline.exclusive_ns[i]);
    ++op.launches;
  }
  for (size_t group = 0; group < of_group.size(); ++group) {
    std::vector<KernelOp>& ops = (*kernels)[group].torch_ops;
    for (auto& [key, op] : of_group[group]) {
      std::tie(op.name, op.forward, op.backward) = key;
      ops.push_back(std::move(op));
    }
    std::stable_sort(ops.begin(), ops.end(), [](const KernelOp& a, const KernelOp& b) {
      return std::tie(b.time_ns, b.launches) < std::tie(a.time_ns, a.launches);
    });
  }
}

std::vector<int32_t> TorchRows(const Model& model, const TorchReport& report) {
  using Key = std::tuple<std::string_view, TorchOp::Kind, bool>;
  std::map<Key, int32_t> places;
  for (size_t i = 0; i < report.ops.size(); ++i) {
    const TorchOp& op = report.ops[i];
    places.emplace(Key(op.name, op.kind, op.backward), static_cast<int32_t>(i));
  }
  const std::vector<bool> backward = BackwardPaths(model);
  std::vector<int32_t> rows(model.paths.size(), model::kNoIndex);
  for (size_t path = 1; path < rows.size(); ++path) {
    const model::RangePath& node = model.paths[path];
    if (node.torch == TorchScope::kNone || node.torch == TorchScope::kModule) continue;
    const auto place = places.find({node.name, KindOf(node.torch), backward[path]});
    if (place != places.end()) rows[path] = place->second;
  }
  return rows;
}

}  // namespace prof::analyzer
