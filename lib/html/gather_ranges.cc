// SPDX-License-Identifier: Apache-2.0
#include "lib/html/gather_ranges.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace prof::html {
namespace {

// A label without the number of its ranges: "layer *" of "layer * (8 ranges)".
std::string Bare(const std::string& label) {
  constexpr std::string_view kEnd = " ranges)";
  const bool family = label.size() > kEnd.size() &&
                      label.compare(label.size() - kEnd.size(), kEnd.size(), kEnd) == 0;
  return family ? label.substr(0, label.rfind(" (")) : label;
}

// Ranges that stand at one place of the tree: the members of a family, and what is around them. The
// ranges around a family may be no family by themselves, when no operation was launched in them.
class Places {
 public:
  Places(const model::Model& model, const analyzer::RangeFamilies& families)
      : of_(families.of_path) {
    for (size_t path = of_.size(); path-- > 1;) {  // what is inside has the larger id
      const uint32_t first = Of(static_cast<uint32_t>(path));
      if (first != path) Join(model.paths[path].parent, model.paths[first].parent);
    }
  }

  uint32_t Of(uint32_t path) {
    while (of_[path] != path) path = of_[path] = of_[of_[path]];
    return path;
  }

 private:
  void Join(uint32_t a, uint32_t b) {
    a = Of(a);
    b = Of(b);
    of_[std::max(a, b)] = std::min(a, b);
  }

  std::vector<uint32_t> of_;
};

// Makes the nodes; parents are made first.
class Tree {
 public:
  Tree(const model::Model& model, const analyzer::RangeFamilies& families, TimelineData* data)
      : model_(model),
        families_(families),
        data_(data),
        places_(model, families),
        labels_(model.paths.size()),
        rows_(model.paths.size(), kNoRow) {
    for (size_t path = model.paths.size(); path-- > 1;) Label(static_cast<uint32_t>(path));
    for (uint32_t path = 1; path < model.paths.size(); ++path) {
      if (model.paths[path].torch == model::TorchScope::kNone) (void)RowOf(path);
    }
  }

  RangeRows TakeRows() { return std::move(rows_); }

 private:
  // A place has the label of its family, or, without one, the beginning of that of what is inside.
  void Label(uint32_t path) {
    const uint32_t first = families_.of_path[path];
    const std::string& known = labels_[places_.Of(path)];
    const std::string label = known.empty() ? families_.label[first] : known;
    if (known.empty()) labels_[places_.Of(path)] = label;
    const uint32_t parent = model_.paths[path].parent;
    if (parent == 0 || model_.paths[path].captured != model::kNone) return;
    const bool joined = families_.of_path[parent] != places_.Of(parent);
    const std::string bare = Bare(label);
    const size_t slash = bare.rfind('/');
    std::string& of_parent = labels_[places_.Of(parent)];
    if (joined && of_parent.empty() && slash != std::string::npos) {
      of_parent = bare.substr(0, slash);
    }
  }

  int32_t RowOf(uint32_t path) {
    if (path == 0) return kNoRow;
    const uint32_t place = places_.Of(path);
    if (rows_[place] == kNoRow) rows_[place] = Make(place);
    rows_[path] = rows_[place];
    return rows_[path];
  }

  int32_t Make(uint32_t place) {
    RangeNode node;
    node.parent = RowOf(model_.paths[place].parent);
    node.label = labels_[place];
    node.name = OwnPart(node, model_.paths[place]);
    data_->ranges.push_back(std::move(node));
    return static_cast<int32_t>(data_->ranges.size()) - 1;
  }

  // What the label has beyond that of the parent.
  std::string OwnPart(const RangeNode& node, const model::RangePath& path) const {
    const size_t captured = node.label.find(model::kCapturedIn);
    if (path.captured != model::kNone && captured != std::string::npos) {
      return node.label.substr(captured + std::strlen(model::kCapturedIn));
    }
    if (node.parent == kNoRow) return node.label;
    const std::string parent = Bare(data_->ranges[static_cast<size_t>(node.parent)].label) + '/';
    return node.label.compare(0, parent.size(), parent) == 0 ? node.label.substr(parent.size())
                                                             : path.name;
  }

  const model::Model& model_;
  const analyzer::RangeFamilies& families_;
  TimelineData* data_;
  Places places_;
  std::vector<std::string> labels_;  // by place
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
  RangeRows rows = Tree(model, families, data).TakeRows();
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
