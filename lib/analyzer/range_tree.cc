// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/range_tree.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "lib/analyzer/base/emit_nvtx.h"
namespace prof::analyzer {
namespace {

constexpr size_t kMostMembers = 1'000;
constexpr int32_t kRoot = -1;

// What happened in one path itself.
struct OwnTimes {
  int64_t calls = 0, host_ns = 0, host_longest_ns = 0, gpu_ns = 0, operations = 0;
};

template <typename Instances>
void AddInstances(const Instances& instances, std::vector<OwnTimes>* paths) {
  for (const model::RangeInstance& instance : instances) {
    OwnTimes& times = (*paths)[instance.path];
    const int64_t length_ns = instance.end_ns - instance.start_ns;
    ++times.calls;
    times.host_ns += length_ns;
    times.host_longest_ns = std::max(times.host_longest_ns, length_ns);
  }
}

std::vector<OwnTimes> TimesOfPaths(const model::Model& model, const Timeline& timeline,
                                   const KernelGroups& groups) {
  std::vector<OwnTimes> paths(model.paths.size());
  AddInstances(model.instances, &paths);
  AddInstances(model.spans, &paths);
  for (const KernelGroup& group : groups.groups) {  // what only counters have timed
    if (group.launches.duration_from_counters) paths[group.path].gpu_ns += group.exclusive_ns;
  }
  for (size_t i = 0; i < model.ops.size(); ++i) {
    OwnTimes& times = paths[model.ops[i].path];
    times.gpu_ns += timeline.exclusive_ns[i];
    ++times.operations;
  }
  return paths;
}

// True for the paths in which something happened, and for those around them.
std::vector<bool> UsedPaths(const model::Model& model, const std::vector<OwnTimes>& times) {
  std::vector<bool> used(model.paths.size());
  for (uint32_t path = 1; path < model.paths.size(); ++path) {
    if (times[path].calls == 0 && times[path].operations == 0) continue;
    for (uint32_t at = path; at != model::kNone && !used[at]; at = model.paths[at].parent) {
      used[at] = true;
    }
  }
  return used;
}

// "layer 12" -> "layer *", "aten::mul, seq = 3" -> "aten::mul".
std::string WithoutNumbers(const std::string& name) {
  std::string text;
  for (const char c : std::string_view(name).substr(0, OpNameSize(name))) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && !text.empty() && text.back() == '*') continue;
    text += digit ? '*' : c;
  }
  return text;
}

// As it stands in RangePath::full: with the domain where it is another one than the parent's, and
// "> layer 3" for work that was captured in "layer 3".
std::string NameInPath(const model::Model& model, uint32_t id) {
  const model::RangePath& path = model.paths[id];
  if (path.captured != model::kNone) return "> " + model.paths[path.captured].full;
  const bool new_domain = !path.domain.empty() && path.domain != model.paths[path.parent].domain;
  return new_domain ? path.domain + ":" + path.name : path.name;
}

// Where Tree::below_ has the nodes below `node`; the root is first.
size_t Slot(int32_t node) { return static_cast<size_t>(int64_t{node} + 1); }

class Tree {
 public:
  Tree(const model::Model& model, const RangeFamilies& families, std::vector<OwnTimes> times)
      : model_(model), families_(families), times_(std::move(times)) {
    const std::vector<bool> used = UsedPaths(model, times_);
    children_.resize(model.paths.size());
    for (uint32_t path = 1; path < model.paths.size(); ++path) {
      if (used[path]) children_[model.paths[path].parent].push_back(path);
    }
  }

  std::vector<RangeNode> Build() {
    AddChildren({model::kNone}, kRoot, "");
    SumUp();
    std::vector<RangeNode> ordered;
    Order(kRoot, &ordered);
    return ordered;
  }

 private:
  // The nodes below one node, which stands for `parents`.
  void AddChildren(const std::vector<uint32_t>& parents, int32_t parent, const std::string& above) {
    std::map<std::string, std::set<std::string>> names;  // by the name without its numbers
    for (const uint32_t at : parents) {
      for (const uint32_t path : children_[at]) {
        const std::string name = NameInPath(model_, path);
        names[WithoutNumbers(name)].insert(name);
      }
    }
    std::map<std::string, std::vector<uint32_t>> nodes;
    for (const uint32_t at : parents) {
      for (const uint32_t path : children_[at]) {
        std::string name = NameInPath(model_, path);
        std::string common = WithoutNumbers(name);
        const bool family = names[common].size() >= kMinFamily;
        nodes[family ? std::move(common) : std::move(name)].push_back(path);
      }
    }
    for (const auto& [name, paths] : nodes) {
      const int32_t node = Add(name, above, parent, paths);
      const std::string path = nodes_[static_cast<size_t>(node)].path;  // a copy: nodes_ grows
      AddChildren(paths, node, path);
    }
  }

  // Of work that was captured elsewhere: the last part of that path.
  std::string ShownName(const std::string& name, uint32_t path, bool family) const {
    const uint32_t captured = model_.paths[path].captured;
    if (captured == model::kNone) return name;
    const std::string& last = model_.paths[captured].name;
    return "> " + (family ? WithoutNumbers(last) : last);
  }

  int32_t Add(const std::string& name, const std::string& above, int32_t parent,
              const std::vector<uint32_t>& paths) {
    RangeNode node;
    node.name = ShownName(name, paths.front(), paths.size() > 1);
    node.path = above.empty() ? name : above + (name[0] == '>' ? " " : "/") + name;
    node.parent = parent;
    node.depth = parent == kRoot ? 0 : nodes_[static_cast<size_t>(parent)].depth + 1;
    node.ranges = static_cast<int64_t>(paths.size());
    std::map<std::string, int64_t> rows;
    for (const uint32_t path : paths) {
      const OwnTimes& times = times_[path];
      node.calls += times.calls;
      node.host_ns += static_cast<double>(times.host_ns);
      node.host_longest_ns =
          std::max(node.host_longest_ns, static_cast<double>(times.host_longest_ns));
      node.gpu_ns += static_cast<double>(times.gpu_ns);
      node.operations += times.operations;
      if (times.operations == 0) continue;
      rows[families_.label[families_.of_path[path]]] += times.gpu_ns;
    }
    for (const auto& [label, time_ns] : rows) node.rows.push_back(label);
    std::stable_sort(node.rows.begin(), node.rows.end(),
                     [&](const std::string& a, const std::string& b) { return rows[a] > rows[b]; });
    nodes_.push_back(std::move(node));
    paths_.push_back(paths);
    return static_cast<int32_t>(nodes_.size()) - 1;
  }

  // A node stands behind the one that it is in.
  void SumUp() {
    for (RangeNode& node : nodes_) node.gpu_inclusive_ns = node.gpu_ns;
    for (size_t i = nodes_.size(); i-- > 0;) {
      const int32_t parent = nodes_[i].parent;
      if (parent == kRoot) continue;
      nodes_[static_cast<size_t>(parent)].gpu_inclusive_ns += nodes_[i].gpu_inclusive_ns;
    }
    std::vector<double> inclusive;
    for (const OwnTimes& times : times_) inclusive.push_back(static_cast<double>(times.gpu_ns));
    for (size_t path = inclusive.size(); path-- > 1;) {  // parents have smaller ids
      inclusive[model_.paths[path].parent] += inclusive[path];
    }
    for (size_t i = 0; i < nodes_.size(); ++i) ListMembers(paths_[i], inclusive, &nodes_[i]);
    below_.resize(nodes_.size() + 1);
    for (size_t i = 0; i < nodes_.size(); ++i) {
      below_[Slot(nodes_[i].parent)].push_back(i);
    }
  }

  void ListMembers(const std::vector<uint32_t>& paths, const std::vector<double>& inclusive,
                   RangeNode* node) const {
    if (paths.size() < 2) return;
    for (size_t i = 0; i < std::min(paths.size(), kMostMembers); ++i) {
      const OwnTimes& times = times_[paths[i]];
      node->members.push_back({model_.paths[paths[i]].full, times.calls, inclusive[paths[i]],
                               static_cast<double>(times.host_ns)});
    }
  }

  void Order(int32_t parent, std::vector<RangeNode>* ordered) {
    std::vector<size_t>& nodes = below_[Slot(parent)];
    std::stable_sort(nodes.begin(), nodes.end(), [&](size_t a, size_t b) {
      return nodes_[a].gpu_inclusive_ns > nodes_[b].gpu_inclusive_ns;
    });
    const auto above = static_cast<int32_t>(ordered->size()) - 1;
    for (const size_t node : nodes) {
      ordered->push_back(nodes_[node]);
      ordered->back().parent = parent == kRoot ? kRoot : above;
      Order(static_cast<int32_t>(node), ordered);
    }
  }

  const model::Model& model_;
  const RangeFamilies& families_;
  const std::vector<OwnTimes> times_;
  std::vector<std::vector<uint32_t>> children_;  // of each path
  std::vector<RangeNode> nodes_;
  std::vector<std::vector<uint32_t>> paths_;  // of each node
  std::vector<std::vector<size_t>> below_;    // of the root, then of each node
};

}  // namespace

std::vector<RangeNode> BuildRangeTree(const model::Model& model, const RangeFamilies& families,
                                      const Timeline& timeline, const KernelGroups& groups) {
  return Tree(model, families, TimesOfPaths(model, timeline, groups)).Build();
}

}  // namespace prof::analyzer
