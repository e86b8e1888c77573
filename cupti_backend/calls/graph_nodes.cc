// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/calls/graph_nodes.h"

#include <algorithm>
#include <exception>

#include "lib/capture/threads/host_stacks.h"
#include "lib/capture/threads/thread_recorder.h"
#include "lib/capture/threads/torch_ops.h"

namespace prof::cupti {

std::optional<uint64_t> GraphNodes::IdOf(CUgraphNode node) const {
  uint64_t id = 0;
  if (node == nullptr || api_->get_graph_node_id(node, &id) != CUPTI_SUCCESS) return std::nullopt;
  return id;
}

// 0: CUPTI gives no id; the nodes of this graph are forgotten one by one.
uint32_t GraphNodes::IdOf(CUgraph graph) const {
  uint32_t id = 0;
  if (graph == nullptr || api_->get_graph_id(graph, &id) != CUPTI_SUCCESS) return 0;
  return id;
}

bool GraphNodes::any() const {
  const capture::MutexLock lock(mutex_);
  return !nodes_.empty();
}

void GraphNodes::OnResource(CUpti_CallbackId cbid, const CUpti_ResourceData& resource) noexcept {
  if (std::find(kCallbacks.begin(), kCallbacks.end(), cbid) == kCallbacks.end() ||
      resource.resourceDescriptor == nullptr) {
    return;
  }
  const auto& data = *static_cast<const CUpti_GraphData*>(resource.resourceDescriptor);
  try {
    switch (cbid) {
      case CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED:
        OnCreated(data);
        break;
      case CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED:
        OnCloned(data);
        break;
      case CUPTI_CBID_RESOURCE_GRAPHNODE_DESTROY_STARTING:
        if (const std::optional<uint64_t> id = IdOf(data.node)) {
          const capture::MutexLock lock(mutex_);
          Forget(*id);
        }
        break;
      case CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING: {
        const uint32_t graph = IdOf(data.graph);
        const capture::MutexLock lock(mutex_);
        ForgetGraph(graph);
        break;
      }
      case CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING: {
        uint32_t graph = 0;  // graphs and executable graphs share their numbers
        if (data.graphExec == nullptr ||
            api_->get_graph_exec_id(data.graphExec, &graph) != CUPTI_SUCCESS) {
          break;
        }
        const capture::MutexLock lock(mutex_);
        ForgetGraph(graph);
        break;
      }
      default:
        break;
    }
  } catch (const std::exception&) {  // no memory, in all likelihood
    const capture::MutexLock lock(mutex_);
    ++dropped_;
  }
}

// CUPTI also reports a clone as created, on the thread that clones: before it reports the original,
// so that OnCloned decides; or after it, so that a known node stays as it is.
void GraphNodes::OnCreated(const CUpti_GraphData& data) {
  const Place place{capture::CurrentPath(), capture::CurrentStack(), capture::CurrentTorchOp()};
  if (place.path == 0 && place.stack == capture::kNoStack && place.torch_op == 0) return;
  const std::optional<uint64_t> id = IdOf(data.node);
  if (!id) return;
  const uint32_t graph = IdOf(data.graph);
  const capture::MutexLock lock(mutex_);
  if (nodes_.count(*id) == 0) Set(*id, {place, graph});
}

void GraphNodes::OnCloned(const CUpti_GraphData& data) {
  const std::optional<uint64_t> id = IdOf(data.node), original = IdOf(data.originalNode);
  if (!id || !original) return;
  const uint32_t graph = IdOf(data.graph);
  const capture::MutexLock lock(mutex_);
  const auto from = nodes_.find(*original);
  if (from != nodes_.end()) {
    Set(*id, {from->second.place, graph});
  } else if (nodes_.count(*id) != 0) {  // its creation was the cloning
    Forget(*id);
    if (new_.size() < 2 * most_ || new_.count(*id) != 0) new_[*id] = {};
  }
}

void GraphNodes::Set(uint64_t id, Node node) {
  const auto known = nodes_.find(id);
  if (known == nodes_.end() && (nodes_.size() >= most_ || new_.size() >= 2 * most_)) {
    ++dropped_;
    return;
  }
  Forget(id);
  new_[id] = node.place;
  of_graph_[node.graph].insert(id);
  nodes_[id] = node;
}

void GraphNodes::Forget(uint64_t id) {
  const auto node = nodes_.find(id);
  if (node == nodes_.end()) return;
  const auto graph = of_graph_.find(node->second.graph);
  if (graph != of_graph_.end()) {
    graph->second.erase(id);
    if (graph->second.empty()) of_graph_.erase(graph);
  }
  nodes_.erase(node);
}

void GraphNodes::ForgetGraph(uint32_t graph) {
  const auto nodes = graph == 0 ? of_graph_.end() : of_graph_.find(graph);
  if (nodes == of_graph_.end()) return;
  for (const uint64_t id : nodes->second) nodes_.erase(id);
  of_graph_.erase(nodes);
}

void GraphNodes::BeginRecording() {
  const capture::MutexLock lock(mutex_);
  new_.clear();
  for (const auto& [id, node] : nodes_) new_[id] = node.place;
}

std::vector<capture::GraphNodeEvent> GraphNodes::TakeNew() {
  std::unordered_map<uint64_t, Place> taken;
  {
    const capture::MutexLock lock(mutex_);
    taken.swap(new_);
  }
  std::vector<capture::GraphNodeEvent> nodes;
  nodes.reserve(taken.size());
  for (const auto& [id, place] : taken)
    nodes.push_back({id, place.path, place.stack, place.torch_op});
  std::sort(nodes.begin(), nodes.end(),
            [](const auto& a, const auto& b) { return a.node < b.node; });
  return nodes;
}

uint64_t GraphNodes::dropped() const {
  const capture::MutexLock lock(mutex_);
  return dropped_;
}

}  // namespace prof::cupti
