// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/wire/block_writer.h"

#include "lib/capture/wire/wire_tags.h"
#include "lib/capture/wire/wire_writer.h"
#include "lib/format/losses.h"

namespace prof::capture {
namespace {

void AddGraphs(Message& m, const GraphRows& graphs, uint32_t first_tag) {
  Packed32(m, first_tag, graphs.row);
  Packed32(m, first_tag + 1, graphs.graph);
  Packed64(m, first_tag + 2, graphs.node);
}

void Write(Message& block, const KernelColumns& c) {
  if (c.interval.rows() == 0) return;
  Message m(block, tag::block::kKernels);
  m.add_sfixed64(1, c.interval.base());
  AddGraphs(m, c.graphs, 7);
  Packed32(m, 10, c.untimed);
  Packed32(m, 11, c.untraced);
  Packed(m, 12, c.shape.misses());
  Packed(m, 13, c.lane.misses());
  Packed(m, 14, c.correlation.misses());
  Packed(m, 15, c.interval.starts());
  Packed(m, 16, c.interval.durations());
}

void Write(Message& block, const CopyColumns& c) {
  if (c.kind.empty()) return;
  Message m(block, tag::block::kCopies);
  m.add_sfixed64(1, c.start.base());
  PackedEnum(m, 2, c.kind);
  PackedEnum(m, 3, c.source);
  PackedEnum(m, 4, c.destination);
  Packed64(m, 5, c.bytes);
  Packed32(m, 6, c.lane);
  PackedDelta(m, 7, c.start.values());
  Packed64(m, 8, c.duration);
  PackedDelta(m, 9, c.correlation.values());
  Packed32(m, 10, c.async);
  AddGraphs(m, c.graphs, 11);
}

void Write(Message& block, const MemsetColumns& c) {
  if (c.bytes.empty()) return;
  Message m(block, tag::block::kMemsets);
  m.add_sfixed64(1, c.start.base());
  Packed64(m, 2, c.bytes);
  PackedEnum(m, 3, c.memory);
  Packed32(m, 4, c.lane);
  PackedDelta(m, 5, c.start.values());
  Packed64(m, 6, c.duration);
  PackedDelta(m, 7, c.correlation.values());
  AddGraphs(m, c.graphs, 8);
}

void Write(Message& block, const GraphRunColumns& c) {
  if (c.graph.empty()) return;
  Message m(block, tag::block::kGraphRuns);
  m.add_sfixed64(1, c.start.base());
  Packed32(m, 2, c.graph);
  Packed32(m, 3, c.lane);
  PackedDelta(m, 4, c.start.values());
  Packed64(m, 5, c.duration);
  PackedDelta(m, 6, c.correlation.values());
}

void AddStates(Message& columns, uint32_t tag, const PoolStateColumns& c) {
  if (c.type.empty()) return;
  Message m(columns, tag);
  PackedEnum(m, 1, c.type);
  PackedDelta(m, 2, c.address.values());
  PackedDelta(m, 3, c.reserved.values());
  PackedDelta(m, 4, c.used.values());
  PackedDelta(m, 5, c.threshold.values());
}

void Write(Message& block, const AllocationColumns& c) {
  if (c.bytes.empty()) return;
  Message m(block, tag::block::kAllocations);
  m.add_sfixed64(1, c.time.base());
  PackedEnum(m, 2, c.operation);
  PackedEnum(m, 3, c.memory);
  Packed64(m, 4, c.bytes);
  PackedDelta(m, 5, c.address.values());
  Packed32(m, 6, c.lane);
  PackedDelta(m, 7, c.time.values());
  PackedDelta(m, 8, c.correlation.values());
  Packed32(m, 9, c.pool_row);
  AddStates(m, 10, c.pool);
}

void Write(Message& block, const PoolColumns& c) {
  if (c.operation.empty()) return;
  Message m(block, tag::block::kPoolOperations);
  m.add_sfixed64(1, c.time.base());
  PackedEnum(m, 2, c.operation);
  Packed32(m, 3, c.device);
  AddStates(m, 4, c.state);
  Packed32(m, 5, c.managed);
  Packed64(m, 6, c.keep_bytes);
  PackedDelta(m, 7, c.time.values());
  PackedDelta(m, 8, c.correlation.values());
}

void Write(Message& block, const UnifiedMemoryColumns& c) {
  if (c.kind.empty()) return;
  Message m(block, tag::block::kUnifiedMemory);
  m.add_sfixed64(1, c.start.base());
  PackedEnum(m, 2, c.kind);
  Packed64(m, 3, c.value);
  Packed32(m, 4, c.source);
  Packed32(m, 5, c.destination);
  Packed32(m, 6, c.cause);
  PackedDelta(m, 7, c.start.values());
  Packed64(m, 8, c.duration);
}

void Write(Message& block, const SyncColumns& c) {
  if (c.kind.empty()) return;
  Message m(block, tag::block::kSyncs);
  m.add_sfixed64(1, c.start.base());
  PackedEnum(m, 2, c.kind);
  Packed32(m, 3, c.context);
  Packed32(m, 4, c.stream);
  PackedDelta(m, 5, c.start.values());
  Packed64(m, 6, c.duration);
  PackedDelta(m, 7, c.correlation.values());
}

void Write(Message& block, const ApiColumns& c) {
  if (c.interval.rows() == 0) return;
  Message m(block, tag::block::kApiCalls);
  m.add_sfixed64(1, c.interval.base());
  Packed32(m, 7, c.error_row);
  Packed32(m, 8, c.error_code);
  Packed(m, 9, c.name.misses());
  Packed(m, 10, c.thread.misses());
  Packed(m, 11, c.correlation.misses());
  Packed(m, 12, c.interval.starts());
  Packed(m, 13, c.interval.durations());
}

void Write(Message& block, const OverheadColumns& c) {
  if (c.kind.empty()) return;
  Message m(block, tag::block::kOverheads);
  m.add_sfixed64(1, c.start.base());
  Packed32(m, 2, c.kind);
  Packed32(m, 3, c.thread);
  PackedDelta(m, 4, c.start.values());
  Packed64(m, 5, c.duration);
}

void Write(Message& block, const RangeColumns& c) {
  if (c.time.rows() == 0) return;
  Message m(block, tag::block::kRanges);
  m.add_sfixed64(1, c.time.base());
  Packed(m, 5, c.thread.misses());
  Packed(m, 6, c.path.misses());
  Packed(m, 7, c.time.starts());
}

void Write(Message& block, const SpanColumns& c) {
  if (c.path.empty()) return;
  Message m(block, tag::block::kSpans);
  m.add_sfixed64(1, c.start.base());
  Packed32(m, 2, c.path);
  Packed32(m, 3, c.start_thread);
  Packed32(m, 4, c.end_thread);
  PackedDelta(m, 5, c.start.values());
  Packed64(m, 6, c.duration);
}

void Write(Message& block, const MarkColumns& c) {
  if (c.path.empty()) return;
  Message m(block, tag::block::kMarks);
  m.add_sfixed64(1, c.time.base());
  Packed32(m, 2, c.path);
  Packed32(m, 3, c.thread);
  PackedDelta(m, 4, c.time.values());
}

void Write(Message& block, const PayloadColumns& c) {
  if (c.path.empty()) return;
  Message m(block, tag::block::kPayloads);
  m.add_sfixed64(1, c.time.base());
  Packed32(m, 2, c.thread);
  PackedDelta(m, 3, c.time.values());
  Packed32(m, 4, c.path);
  PackedEnum(m, 5, c.type);
  Packed64(m, 6, c.bits);
}

void Write(Message& block, const PmColumns& c) {
  if (c.rows() == 0) return;
  Message m(block, tag::block::kPmSamples);
  m.add_uint32(1, c.series());
  m.add_sfixed64(2, c.base_ns());
  PackedDelta(m, 3, c.duration_delta);
  Packed32(m, 4, c.gap_row);
  PackedDelta(m, 5, c.gap);
  Packed32(m, 6, c.merged_row);
  Packed32(m, 7, c.merged_count);
  for (const PmValueColumn& values : c.values) {
    Message column(m, 8);
    PackedDelta(column, 1, values.delta);
    Packed32(column, 2, values.missing_row);
  }
}

void Write(Message& block, const Integrity& integrity) {
  Message m(block, tag::block::kIntegrity);
  for (const format::IntegrityCount& row : format::kIntegrityCounts) {
    U32(m, row.field, integrity.*row.count);
  }
  for (const format::IntegrityFlag& row : format::kIntegrityFlags) {
    if (integrity.*row.flag) m.add_bool(row.field, true);
  }
}

}  // namespace

void AppendTables(const BlockColumns& columns, std::string* bytes) {
  Message block(*bytes);
  for (const std::string& text : columns.new_strings) {
    block.add_string(tag::block::kStrings, text);
  }
  *bytes += columns.entries;
  if (const GraphNodeColumns& nodes = columns.graph_nodes; !nodes.node_delta.empty()) {
    Message m(block, tag::block::kGraphNodes);
    PackedDelta(m, 1, nodes.node_delta);
    PackedDelta(m, 2, nodes.path.values());
  }
}

void AppendEvents(const BlockColumns& columns, const Integrity& integrity,
                  const BlockTrailer* trailer, std::string* bytes) {
  *bytes += columns.timed_entries;
  Message block(*bytes);
  Write(block, columns.kernels);
  Write(block, columns.copies);
  Write(block, columns.memsets);
  Write(block, columns.graph_runs);
  Write(block, columns.syncs);
  Write(block, columns.api_calls);
  Write(block, columns.overheads);
  Write(block, columns.ranges);
  Write(block, columns.spans);
  Write(block, columns.marks);
  Write(block, columns.payloads);
  Write(block, columns.allocations);
  Write(block, columns.pool_operations);
  Write(block, columns.unified_memory);
  for (const PmColumns& series : columns.pm_samples) Write(block, series);
  Write(block, integrity);
  if (trailer != nullptr) {
    Message m(block, tag::block::kTrailer);
    I64(m, 1, trailer->end_ns);
    U32(m, 2, trailer->blocks);
  }
}

}  // namespace prof::capture
