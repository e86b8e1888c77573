// SPDX-License-Identifier: Apache-2.0
//
// The graph node writer writes the nodes of CUDA graphs into the snapshot, each after its range and
// its host stack.
#ifndef PROF_CUPTI_BACKEND_CALLS_GRAPH_NODE_WRITER_H_
#define PROF_CUPTI_BACKEND_CALLS_GRAPH_NODE_WRITER_H_

#include <cstdint>
#include <vector>

#include "cupti_backend/calls/graph_nodes.h"
#include "lib/capture/events/event_sink.h"

namespace prof::cupti {

// One recording. The collector thread.
class GraphNodeWriter {
 public:
  // `nodes` outlives this. `records_ranges`: where ranges are not recorded, nodes have none, and
  // those without a host stack are not written.
  GraphNodeWriter(GraphNodes* nodes, bool records_ranges);

  // A node whose range the sink does not know yet is kept for the next call.
  void Write(capture::EventSink& sink);
  // Takes the nodes that are new.
  void Gather();

  // Nodes in a range for which there was no room.
  uint64_t dropped() const;

 private:
  GraphNodes* const nodes_;
  const bool records_ranges_;
  const uint64_t dropped_before_;
  bool any_stack_ = false;  // a node had one
  std::vector<capture::GraphNodeEvent> gathered_;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_CALLS_GRAPH_NODE_WRITER_H_
