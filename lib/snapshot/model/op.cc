// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/model/op.h"

namespace prof::model {

void OpTable::Sort() {
  rows_.Sort([this](const Row& a, const Row& b) {
    const bool a_timed = Timed(a), b_timed = Timed(b);
    return a_timed != b_timed ? a_timed : a.start_ns < b.start_ns;
  });
}

void OpTable::Pack(const Op& op, Row* row) {
  row->start_ns = op.start_ns;
  row->duration_ns = ShortNs(op.start_ns, op.end_ns);
  row->correlation = op.correlation;
  row->path = op.path;
  row->api = op.api;
  row->lane = lanes_.Add({op.device, op.context, op.stream, op.channel, op.channel_type});
  row->sampled = op.sampled ? 1 : 0;
  const bool is_long = row->duration_ns == kLongNs;
  const bool plain = op.kind == OpKind::kKernel && op.timed && !op.untraced && !op.async &&
                     op.copy == CopyKind::kUnknown && op.source == MemoryKind::kUnknown &&
                     op.destination == MemoryKind::kUnknown && op.graph == 0 &&
                     op.graph_node == 0 && op.bytes == 0 && !is_long;
  row->plain = plain ? 1 : 0;
  row->shape_or_shared = plain ? op.shape
                               : shared_.Add({op.kind, op.timed, op.untraced, op.async, op.copy,
                                              op.source, op.destination, op.shape, op.graph,
                                              op.graph_node, op.bytes, is_long ? op.end_ns : 0});
}

}  // namespace prof::model
