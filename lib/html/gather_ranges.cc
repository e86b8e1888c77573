// SPDX-License-Identifier: Apache-2.0
#include "lib/html/gather_ranges.h"

#include <cstddef>
#include <string>
#include <utility>

namespace prof::html {
namespace {

// The label of a family's own part: what its label has beyond that of its parent.
std::string OwnPart(const std::string& label, const model::RangePath& path,
                    const analyzer::RangeFamilies& families) {
  if (path.captured != model::kNone) return label.substr(label.find(model::kCapturedIn) + 3);
  const std::string& parent = families.label[families.of_path[path.parent]];
  const std::string bare = parent.substr(0, parent.rfind(" ("));
  if (!bare.empty() && label.compare(0, bare.size(), bare) == 0 && label[bare.size()] == '/') {
    return label.substr(bare.size() + 1);
  }
  return path.name;
}

// The place of a family; parents are made first.
class Tree {
 public:
  Tree(const model::Model& model, const analyzer::RangeFamilies& families, TimelineData* data)
      : model_(model), families_(families), data_(data), rows_(model.paths.size(), kNoRow) {}

  int32_t RowOf(uint32_t path) {
    const uint32_t first = families_.of_path[path];
    if (first == 0) return kNoRow;
    if (rows_[first] == kNoRow) rows_[first] = Make(first);
    rows_[path] = rows_[first];
    return rows_[path];
  }

  RangeRows TakeRows() { return std::move(rows_); }

 private:
  int32_t Make(uint32_t path) {
    RangeNode node;
    node.parent = RowOf(model_.paths[path].parent);
    node.label = families_.label[path];
    node.name = OwnPart(node.label, model_.paths[path], families_);
    data_->ranges.push_back(std::move(node));
    return static_cast<int32_t>(data_->ranges.size()) - 1;
  }

  const model::Model& model_;
  const analyzer::RangeFamilies& families_;
  TimelineData* data_;
  RangeRows rows_;
};

void AddInstance(const model::RangeInstance& instance, const RangeRows& rows, TimelineData* data) {
  if (rows[instance.path] == kNoRow) return;
  RangeNode& node = data->ranges[static_cast<size_t>(rows[instance.path])];
  ++node.instances;
  node.host_ns += instance.end_ns - instance.start_ns;
}

}  // namespace

RangeRows GatherRanges(const model::Model& model, const analyzer::RangeFamilies& families,
                       const analyzer::Timeline& timeline, TimelineData* data) {
  Tree tree(model, families, data);
  for (uint32_t path = 1; path < model.paths.size(); ++path) (void)tree.RowOf(path);
  RangeRows rows = tree.TakeRows();
  for (const model::RangeInstance& instance : model.instances) AddInstance(instance, rows, data);
  for (const model::RangeInstance& span : model.spans) AddInstance(span, rows, data);
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const int32_t row = rows[model.ops[i].path];
    if (row != kNoRow) data->ranges[static_cast<size_t>(row)].gpu_ns += timeline.exclusive_ns[i];
  }
  for (const analyzer::DeviceTimeline& device : timeline.devices) {
    for (const analyzer::Gap& gap : device.gaps) {
      const int32_t row = rows[gap.path];
      if (row != kNoRow) data->ranges[static_cast<size_t>(row)].idle_ns += gap.undisturbed_ns();
    }
  }
  return rows;
}

}  // namespace prof::html
