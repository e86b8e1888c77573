// SPDX-License-Identifier: Apache-2.0
//
// The graph nodes remember the range, the host stack and the op of PyTorch in which each node of a
// CUDA graph was captured or added. A launch of the graph is in the range of the launch; the parts
// of the program are known only while the graph is built.
#ifndef PROF_CUPTI_BACKEND_CALLS_GRAPH_NODES_H_
#define PROF_CUPTI_BACKEND_CALLS_GRAPH_NODES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cupti_backend/api/cupti_api.h"
#include "lib/capture/events/events.h"
#include "lib/capture/process/mutex.h"

namespace prof::cupti {

// There is one for the life of the process: a later recording may launch a graph that an earlier
// one saw being built.
class GraphNodes {
 public:
  static constexpr size_t kMostNodes = 1 << 18;

  explicit GraphNodes(const CuptiApi* api, size_t most = kMostNodes) : api_(api), most_(most) {}

  // The resource callbacks of CUPTI that OnResource needs.
  static constexpr std::array<CUpti_CallbackIdResource, 5> kCallbacks = {
      CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,
      CUPTI_CBID_RESOURCE_GRAPHNODE_DESTROY_STARTING, CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING,
      CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING};

  // Those that are needed between two recordings too: nodes that are gone must not take up the
  // table.
  static constexpr std::array<CUpti_CallbackIdResource, 3> kDestroyCallbacks = {
      CUPTI_CBID_RESOURCE_GRAPHNODE_DESTROY_STARTING, CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING,
      CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING};
  // Some node is known.
  [[nodiscard]] bool any() const;

  // Any resource callback, on the program's threads. Those of graphs come while the program builds
  // or destroys a graph, not when it launches one: they take a short mutex and may allocate. A node
  // without room is counted in dropped(). No exception gets out.
  void OnResource(CUpti_CallbackId cbid, const CUpti_ResourceData& data) noexcept;

  // A recording begins: TakeNew gives all nodes that are known.
  void BeginRecording();
  // The collector thread: nodes that are new since the last call, sorted by id. A later entry of a
  // node replaces an earlier one; one without path and stack removes it.
  std::vector<capture::GraphNodeEvent> TakeNew();

  // Nodes in a range or a stack for which there was no room, since the process began.
  uint64_t dropped() const;

 private:
  // Where a node was captured: in a range, in a host stack, in an op of PyTorch.
  struct Place {
    uint32_t path = 0, stack = 0, torch_op = 0;
  };
  struct Node {
    Place place;
    uint32_t graph = 0;  // CUPTI's id of the graph or of the executable graph that it is in
  };

  void OnCreated(const CUpti_GraphData& data);
  void OnCloned(const CUpti_GraphData& data);
  void Set(uint64_t id, Node node) PROF_REQUIRES(mutex_);
  void Forget(uint64_t id) PROF_REQUIRES(mutex_);
  void ForgetGraph(uint32_t graph) PROF_REQUIRES(mutex_);

  std::optional<uint64_t> IdOf(CUgraphNode node) const;
  uint32_t IdOf(CUgraph graph) const;

  const CuptiApi* const api_;
  const size_t most_;

  mutable capture::Mutex mutex_;  // never held across a call to CUPTI
  // The nodes in a range, a stack or an op, by CUPTI's id.
  std::unordered_map<uint64_t, Node> nodes_ PROF_GUARDED_BY(mutex_);
  std::unordered_map<uint32_t, std::unordered_set<uint64_t>> of_graph_ PROF_GUARDED_BY(mutex_);
  // Places that TakeNew has yet to give, by node; at most twice most_.
  std::unordered_map<uint64_t, Place> new_ PROF_GUARDED_BY(mutex_);
  uint64_t dropped_ PROF_GUARDED_BY(mutex_) = 0;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_CALLS_GRAPH_NODES_H_
