// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/calls/waiting_graphs.h"

#include <exception>

#include "lib/format/waiting_kernels.h"

namespace prof::cupti {
namespace {

bool WaitsByType(CUgraphNodeType type) {
  return type == CU_GRAPH_NODE_TYPE_HOST || type == CU_GRAPH_NODE_TYPE_WAIT_EVENT ||
         type == CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT || type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
}

}  // namespace

void WaitingGraphs::OnResource(CUpti_CallbackId cbid, const CUpti_ResourceData& resource,
                               const char* kernel) noexcept {
  if (resource.resourceDescriptor == nullptr) return;
  const auto& data = *static_cast<const CUpti_GraphData*>(resource.resourceDescriptor);
  uint32_t graph = 0;
  try {
    if (cbid == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED) {
      OnCreated(data, kernel);
    } else if (!any_.load(std::memory_order_relaxed)) {
      return;
    } else if (cbid == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED) {
      OnCloned(data);
    } else if (cbid == CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING) {
      if (api_->get_graph_id(data.graph, &graph) == CUPTI_SUCCESS) OnDestroyed(graph);
    } else if (cbid == CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING) {
      if (api_->get_graph_exec_id(data.graphExec, &graph) == CUPTI_SUCCESS) OnDestroyed(graph);
    }
  } catch (const std::exception&) {  // no memory
    all_.store(true);
  }
}

// What is inside of a child graph is not known here: it waits if anything does.
void WaitingGraphs::OnCreated(const CUpti_GraphData& data, const char* kernel) {
  const bool child = data.nodeType == CU_GRAPH_NODE_TYPE_GRAPH && any_.load();
  const bool waits = data.nodeType == CU_GRAPH_NODE_TYPE_KERNEL
                         ? kernel != nullptr && format::WaitsForOthers(kernel)
                         : WaitsByType(data.nodeType);
  if (waits || child) Add(data);
}

void WaitingGraphs::OnCloned(const CUpti_GraphData& data) {
  uint64_t original = 0;
  if (api_->get_graph_node_id(data.originalNode, &original) != CUPTI_SUCCESS) return;
  {
    const capture::MutexLock lock(mutex_);
    if (nodes_.count(original) == 0) return;
  }
  Add(data);
}

void WaitingGraphs::Add(const CUpti_GraphData& data) {
  uint64_t node = 0;
  uint32_t graph = 0;
  const bool known = api_->get_graph_node_id(data.node, &node) == CUPTI_SUCCESS &&
                     api_->get_graph_id(data.graph, &graph) == CUPTI_SUCCESS;
  const capture::MutexLock lock(mutex_);
  if (!known || nodes_.size() >= most_) {
    all_.store(true);
  } else {
    nodes_[node] = graph;
    graphs_.insert(graph);
  }
  any_.store(true);
}

void WaitingGraphs::OnDestroyed(uint32_t graph) {
  const capture::MutexLock lock(mutex_);
  if (graphs_.erase(graph) == 0) return;
  for (auto node = nodes_.begin(); node != nodes_.end();) {
    node = node->second == graph ? nodes_.erase(node) : std::next(node);
  }
}

bool WaitingGraphs::Waits(CUgraphExec graph) const {
  if (!any_.load(std::memory_order_relaxed)) return false;
  uint32_t id = 0;
  if (all_.load() || api_->get_graph_exec_id(graph, &id) != CUPTI_SUCCESS) return true;
  const capture::MutexLock lock(mutex_);
  return graphs_.count(id) != 0;
}

}  // namespace prof::cupti
