// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/torch_shapes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "lib/analyzer/base/torch_paths.h"
#include "lib/analyzer/torch_table.h"

namespace prof::analyzer {
namespace {

using model::kNoIndex;
using model::Model;
using model::TorchScope;

class ShapesTable {
 public:
  explicit ShapesTable(const Model& model) : model_(model), backward_(BackwardPaths(model)) {
    const model::InstanceTable& instances = model.torch.instances;
    row_of_.reserve(instances.size());
    for (size_t i = 0; i < instances.size(); ++i) {
      row_of_.push_back(RowOf(instances[i].path, model.torch.shapes_of_instance[i]));
    }
    for (size_t i = 0; i < instances.size(); ++i) AddCall(i, instances[i]);
  }

  void AddLaunch(size_t op, int64_t time_ns, const KernelReport* kernel) {
    const model::TorchPlace place = model_.torch.PlaceOf(op);
    if (place.op == model::kNone) return;
    const model::TorchCall call = model_.torch.calls[op];
    const auto time = static_cast<double>(time_ns);
    FindRowsAround(call.launched_in, place.op);
    if (found_.empty()) return;
    rows_[found_.front()].op.gpu_self_ns += time;
    for (const size_t at : found_) {
      Row& row = rows_[at];
      row.op.gpu_ns += time;
      ++row.op.launches;
      if (kernel != nullptr) row.limiters[kernel->verdict.limiter] += time_ns;
    }
    if (!backward_[place.op] || place.forward_op == model::kNone) return;
    const auto node = std::find_if(found_.begin(), found_.end(), [this](size_t row) {
      return rows_[row].op.kind == TorchOp::Kind::kNode;
    });
    if (node != found_.end()) rows_[*node].makers[model_.paths[place.forward_op].name] += time_ns;
    FindRowsAround(call.forward, place.forward_op);
    for (const size_t at : found_) rows_[at].op.backward_gpu_ns += time;
  }

  std::vector<TorchOp> Build() {
    std::vector<TorchOp> ops;
    for (Row& row : rows_) {
      if (row.op.calls == 0 && row.op.launches == 0 && row.op.backward_gpu_ns == 0) continue;
      row.op.limiters = LimiterTimes(row.limiters);
      const auto most =
          std::max_element(row.makers.begin(), row.makers.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      if (most != row.makers.end()) row.op.forward = most->first;
      ops.push_back(std::move(row.op));
    }
    std::stable_sort(ops.begin(), ops.end(), [](const TorchOp& a, const TorchOp& b) {
      return std::tie(b.gpu_self_ns, b.cpu_self_ns, a.name, a.shapes) <
             std::tie(a.gpu_self_ns, a.cpu_self_ns, b.name, b.shapes);
    });
    return ops;
  }

 private:
  struct Row {
    TorchOp op;
    std::map<Limiter, int64_t> limiters;
    std::map<std::string_view, int64_t> makers;  // by the name of the forward op
    uint64_t found_by = 0;                       // the last search that found it
  };
  static constexpr size_t kNoRow = SIZE_MAX;

  // kNoRow: the path is a module, or outside of all ops.
  size_t RowOf(uint32_t path, uint32_t shapes) {
    const model::RangePath& node = model_.paths[path];
    if (!IsOp(node.torch)) return kNoRow;
    const auto [known, is_new] = places_.try_emplace({path, shapes}, rows_.size());
    if (!is_new) return known->second;
    const auto [same, first] =
        by_name_.try_emplace({node.name, node.torch, backward_[path], shapes}, rows_.size());
    known->second = same->second;
    if (first) {
      Row& row = rows_.emplace_back();
      row.op.name = node.name;
      row.op.kind = KindOf(node.torch);
      row.op.backward = backward_[path];
      row.op.shapes = model_.strings[shapes];
    }
    return same->second;
  }

  void AddCall(size_t i, const model::RangeInstance& instance) {
    if (row_of_[i] == kNoRow) return;
    Row& row = rows_[row_of_[i]];
    const auto time = static_cast<double>(instance.end_ns - instance.start_ns);
    ++row.op.calls;
    row.op.cpu_self_ns += time;
    int32_t around = Around(static_cast<int32_t>(i));
    if (around != kNoIndex) rows_[row_of_[static_cast<size_t>(around)]].op.cpu_self_ns -= time;
    for (; around != kNoIndex; around = Around(around)) {
      if (row_of_[static_cast<size_t>(around)] == row_of_[i]) return;  // the outer one has its time
    }
    row.op.cpu_ns += time;
  }

  // The op that called it, modules left out.
  int32_t Around(int32_t instance) const {
    do instance = model_.torch.instance_around[static_cast<size_t>(instance)];
    while (instance != kNoIndex && row_of_[static_cast<size_t>(instance)] == kNoRow);
    return instance;
  }

  // Puts the rows of an instance of `path`, and of the ops around it, to `found_`: each once, the
  // innermost first. kNoIndex: the shapes are not known.
  void FindRowsAround(int32_t instance, uint32_t path) {
    found_.clear();
    ++search_;
    const auto add = [this](size_t row) {
      if (row == kNoRow || std::exchange(rows_[row].found_by, search_) == search_) return;
      found_.push_back(row);
    };
    if (instance == kNoIndex) {
      for (; path != model::kNone; path = model_.paths[path].parent) add(RowOf(path, model::kNone));
      return;
    }
    for (; instance != kNoIndex;
         instance = model_.torch.instance_around[static_cast<size_t>(instance)]) {
      add(row_of_[static_cast<size_t>(instance)]);
    }
  }

  const Model& model_;
  const std::vector<bool> backward_;                        // by path
  std::map<std::pair<uint32_t, uint32_t>, size_t> places_;  // of rows, by path and shapes
  std::map<std::tuple<std::string_view, TorchScope, bool, uint32_t>, size_t> by_name_;
  uint64_t search_ = 0;  // counts FindRowsAround
  std::vector<Row> rows_;
  std::vector<size_t> row_of_;  // by instance
  std::vector<size_t> found_;
};

}  // namespace

std::vector<TorchOp> BuildTorchShapes(const Model& model, const Timeline& timeline,
                                      const KernelGroups& groups,
                                      const std::vector<KernelReport>& kernels) {
  if (model.torch.shapes.empty()) return {};
  ShapesTable table(model);
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const int32_t group = groups.group_of_op[i];
    table.AddLaunch(i, timeline.exclusive_ns[i],
                    group == kNoIndex ? nullptr : &kernels[static_cast<size_t>(group)]);
  }
  return table.Build();
}

}  // namespace prof::analyzer
