// SPDX-License-Identifier: Apache-2.0
//
// In which range each node of a CUDA graph was captured or added. A launch of the graph is in the
// range of the launch; the parts that the program was written in are known while it is built only.
#ifndef PROF_CUPTI_BACKEND_CALLS_GRAPH_NODES_H_
#define PROF_CUPTI_BACKEND_CALLS_GRAPH_NODES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cupti_backend/api/cupti_api.h"
#include "lib/capture/events/events.h"

namespace prof::cupti {

// One for the life of the process: a graph that one recording saw being built may be launched in a
// later one.
class GraphNodes {
 public:
  static constexpr size_t kMostNodes = 1 << 18;

  explicit GraphNodes(const CuptiApi* api, size_t most = kMostNodes) : api_(api), most_(most) {}

  // Those of CUPTI's resource callbacks that OnResource is to be given.
  static constexpr std::array<CUpti_CallbackIdResource, 5> kCallbacks = {
      CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,
      CUPTI_CBID_RESOURCE_GRAPHNODE_DESTROY_STARTING, CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING,
      CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING};

  // Any resource callback, on the program's threads. Those of graphs come while the program builds
  // or destroys one, not when it launches one: they take a short mutex and may allocate. What has
  // no room is counted in dropped(); no exception gets out.
  void OnResource(CUpti_CallbackId cbid, const CUpti_ResourceData& data) noexcept;

  // A recording begins: TakeNew gives all nodes that are known.
  void BeginRecording();
  // The collector thread: nodes that are new since the last call, sorted by id. A later path of a
  // node replaces an earlier one; 0 takes it back.
  std::vector<capture::GraphNodeEvent> TakeNew();

  // Nodes in a range that there was no room for, since the process began.
  uint64_t dropped() const;

 private:
  struct Node {
    uint32_t path = 0;
    uint32_t graph = 0;  // CUPTI's id of the graph or of the executable graph that it is in
  };

  void OnCreated(const CUpti_GraphData& data);
  void OnCloned(const CUpti_GraphData& data);
  // Under mutex_.
  void Set(uint64_t id, Node node);
  void Forget(uint64_t id);
  void ForgetGraph(uint32_t graph);

  std::optional<uint64_t> IdOf(CUgraphNode node) const;
  uint32_t IdOf(CUgraph graph) const;

  const CuptiApi* const api_;
  const size_t most_;

  mutable std::mutex mutex_;                  // of all below; never held across a call to CUPTI
  std::unordered_map<uint64_t, Node> nodes_;  // in a range; by CUPTI's id
  std::unordered_map<uint32_t, std::unordered_set<uint64_t>> of_graph_;
  std::unordered_map<uint64_t, uint32_t> new_;  // paths by id; at most twice most_
  uint64_t dropped_ = 0;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_CALLS_GRAPH_NODES_H_
