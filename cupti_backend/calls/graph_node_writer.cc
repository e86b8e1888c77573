// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/calls/graph_node_writer.h"

#include <utility>

namespace prof::cupti {

GraphNodeWriter::GraphNodeWriter(GraphNodes* nodes, bool records_ranges)
    : nodes_(nodes), records_ranges_(records_ranges), dropped_before_(nodes->dropped()) {
  nodes_->BeginRecording();
}

void GraphNodeWriter::Gather() {
  for (capture::GraphNodeEvent node : nodes_->TakeNew()) {
    if (!records_ranges_) node.path = node.torch_op = 0;
    any_stack_ |= node.stack != 0;
    if (records_ranges_ || any_stack_) gathered_.push_back(node);
  }
}

void GraphNodeWriter::Write(capture::EventSink& sink) {
  std::vector<capture::GraphNodeEvent> early;
  for (const capture::GraphNodeEvent& node : gathered_) {
    if (sink.HasPath(node.path) && sink.HasPath(node.torch_op)) {
      sink.Add(node);
      sink.WriteIfLarge();
    } else {
      early.push_back(node);
    }
  }
  gathered_ = std::move(early);
}

uint64_t GraphNodeWriter::dropped() const {
  return records_ranges_ || any_stack_ ? nodes_->dropped() - dropped_before_ : 0;
}

}  // namespace prof::cupti
