// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/wire/block_writer.h"

#include "lib/capture/wire/wire_tags.h"
#include "lib/capture/wire/wire_writer.h"
#include "lib/format/losses.h"

namespace prof::capture {
namespace {

// The row, the graph and the node have consecutive numbers in each message.
void AddGraphs(Message& m, const GraphRows& graphs, uint32_t first_tag) {
  Packed32(m, first_tag, graphs.row);
  Packed32(m, first_tag + 1, graphs.graph);
  Packed64(m, first_tag + 2, graphs.node);
}

void Write(Message& block, const KernelColumns& c) {
  if (c.interval.rows() == 0) return;
  Message m(block, tag::block::kKernels);
  m.add_sfixed64(tag::kernel_columns::kBaseNs, c.interval.base());
  AddGraphs(m, c.graphs, tag::kernel_columns::kGraphRow);
  Packed32(m, tag::kernel_columns::kUntimedRow, c.untimed);
  Packed32(m, tag::kernel_columns::kUntracedRow, c.untraced);
  Packed(m, tag::kernel_columns::kShapeGuess, c.shape.misses());
  Packed(m, tag::kernel_columns::kLaneGuess, c.lane.misses());
  Packed(m, tag::kernel_columns::kCorrelationGuess, c.correlation.misses());
  Packed(m, tag::kernel_columns::kStartGuessNs, c.interval.starts());
  Packed(m, tag::kernel_columns::kDurationGuessNs, c.interval.durations());
}

void Write(Message& block, const CopyColumns& c) {
  if (c.kind.empty()) return;
  Message m(block, tag::block::kCopies);
  m.add_sfixed64(tag::copy_columns::kBaseNs, c.start.base());
  PackedEnum(m, tag::copy_columns::kKind, c.kind);
  PackedEnum(m, tag::copy_columns::kSource, c.source);
  PackedEnum(m, tag::copy_columns::kDestination, c.destination);
  Packed64(m, tag::copy_columns::kBytes, c.bytes);
  Packed32(m, tag::copy_columns::kLane, c.lane);
  PackedDelta(m, tag::copy_columns::kStartDeltaNs, c.start.values());
  Packed64(m, tag::copy_columns::kDurationNs, c.duration);
  PackedDelta(m, tag::copy_columns::kCorrelationDelta, c.correlation.values());
  Packed32(m, tag::copy_columns::kAsync, c.async);
  AddGraphs(m, c.graphs, tag::copy_columns::kGraphRow);
}

void Write(Message& block, const MemsetColumns& c) {
  if (c.bytes.empty()) return;
  Message m(block, tag::block::kMemsets);
  m.add_sfixed64(tag::memset_columns::kBaseNs, c.start.base());
  Packed64(m, tag::memset_columns::kBytes, c.bytes);
  PackedEnum(m, tag::memset_columns::kMemory, c.memory);
  Packed32(m, tag::memset_columns::kLane, c.lane);
  PackedDelta(m, tag::memset_columns::kStartDeltaNs, c.start.values());
  Packed64(m, tag::memset_columns::kDurationNs, c.duration);
  PackedDelta(m, tag::memset_columns::kCorrelationDelta, c.correlation.values());
  AddGraphs(m, c.graphs, tag::memset_columns::kGraphRow);
}

void Write(Message& block, const GraphRunColumns& c) {
  if (c.graph.empty()) return;
  Message m(block, tag::block::kGraphRuns);
  m.add_sfixed64(tag::graph_run_columns::kBaseNs, c.start.base());
  Packed32(m, tag::graph_run_columns::kGraphId, c.graph);
  Packed32(m, tag::graph_run_columns::kLane, c.lane);
  PackedDelta(m, tag::graph_run_columns::kStartDeltaNs, c.start.values());
  Packed64(m, tag::graph_run_columns::kDurationNs, c.duration);
  PackedDelta(m, tag::graph_run_columns::kCorrelationDelta, c.correlation.values());
}

void AddStates(Message& columns, uint32_t tag, const PoolStateColumns& c) {
  if (c.type.empty()) return;
  Message m(columns, tag);
  PackedEnum(m, tag::pool_state_columns::kType, c.type);
  PackedDelta(m, tag::pool_state_columns::kAddressDelta, c.address.values());
  PackedDelta(m, tag::pool_state_columns::kReservedDelta, c.reserved.values());
  PackedDelta(m, tag::pool_state_columns::kUsedDelta, c.used.values());
  PackedDelta(m, tag::pool_state_columns::kThresholdDelta, c.threshold.values());
}

void Write(Message& block, const AllocationColumns& c) {
  if (c.bytes.empty()) return;
  Message m(block, tag::block::kAllocations);
  m.add_sfixed64(tag::allocation_columns::kBaseNs, c.time.base());
  PackedEnum(m, tag::allocation_columns::kOperation, c.operation);
  PackedEnum(m, tag::allocation_columns::kMemory, c.memory);
  Packed64(m, tag::allocation_columns::kBytes, c.bytes);
  PackedDelta(m, tag::allocation_columns::kAddressDelta, c.address.values());
  Packed32(m, tag::allocation_columns::kLane, c.lane);
  PackedDelta(m, tag::allocation_columns::kTimeDeltaNs, c.time.values());
  PackedDelta(m, tag::allocation_columns::kCorrelationDelta, c.correlation.values());
  Packed32(m, tag::allocation_columns::kPoolRow, c.pool_row);
  AddStates(m, tag::allocation_columns::kPool, c.pool);
}

void Write(Message& block, const TensorColumns& c) {
  if (c.change.empty()) return;
  Message m(block, tag::block::kTensors);
  m.add_sfixed64(tag::tensor_columns::kBaseNs, c.time.base());
  PackedEnum(m, tag::tensor_columns::kChange, c.change);
  Packed32(m, tag::tensor_columns::kDevice, c.device);
  Packed32(m, tag::tensor_columns::kThread, c.thread);
  PackedDelta(m, tag::tensor_columns::kTimeDeltaNs, c.time.values());
  PackedDelta(m, tag::tensor_columns::kAddressDelta, c.address.values());
  Packed64(m, tag::tensor_columns::kBytes, c.bytes);
  PackedDelta(m, tag::tensor_columns::kStackDelta, c.stack.values());
}

void Write(Message& block, const PoolColumns& c) {
  if (c.operation.empty()) return;
  Message m(block, tag::block::kPoolOperations);
  m.add_sfixed64(tag::pool_columns::kBaseNs, c.time.base());
  PackedEnum(m, tag::pool_columns::kOperation, c.operation);
  Packed32(m, tag::pool_columns::kDevice, c.device);
  AddStates(m, tag::pool_columns::kState, c.state);
  Packed32(m, tag::pool_columns::kManaged, c.managed);
  Packed64(m, tag::pool_columns::kKeepBytes, c.keep_bytes);
  PackedDelta(m, tag::pool_columns::kTimeDeltaNs, c.time.values());
  PackedDelta(m, tag::pool_columns::kCorrelationDelta, c.correlation.values());
}

void Write(Message& block, const UnifiedMemoryColumns& c) {
  if (c.kind.empty()) return;
  Message m(block, tag::block::kUnifiedMemory);
  m.add_sfixed64(tag::unified_memory_columns::kBaseNs, c.start.base());
  PackedEnum(m, tag::unified_memory_columns::kKind, c.kind);
  Packed64(m, tag::unified_memory_columns::kValue, c.value);
  Packed32(m, tag::unified_memory_columns::kSource, c.source);
  Packed32(m, tag::unified_memory_columns::kDestination, c.destination);
  Packed32(m, tag::unified_memory_columns::kCause, c.cause);
  PackedDelta(m, tag::unified_memory_columns::kStartDeltaNs, c.start.values());
  Packed64(m, tag::unified_memory_columns::kDurationNs, c.duration);
}

void Write(Message& block, const GpuStateColumns& c) {
  if (c.kind.empty()) return;
  Message m(block, tag::block::kGpuStates);
  m.add_sfixed64(tag::gpu_state_columns::kBaseNs, c.time.base());
  PackedEnum(m, tag::gpu_state_columns::kKind, c.kind);
  Packed32(m, tag::gpu_state_columns::kDevice, c.device);
  Packed32(m, tag::gpu_state_columns::kValue, c.value);
  Packed32(m, tag::gpu_state_columns::kSecond, c.second);
  Packed32(m, tag::gpu_state_columns::kReasons, c.reasons);
  PackedDelta(m, tag::gpu_state_columns::kTimeDeltaNs, c.time.values());
}

void Write(Message& block, const SyncColumns& c) {
  if (c.kind.empty()) return;
  Message m(block, tag::block::kSyncs);
  m.add_sfixed64(tag::sync_columns::kBaseNs, c.start.base());
  PackedEnum(m, tag::sync_columns::kKind, c.kind);
  Packed32(m, tag::sync_columns::kContext, c.context);
  Packed32(m, tag::sync_columns::kStream, c.stream);
  PackedDelta(m, tag::sync_columns::kStartDeltaNs, c.start.values());
  Packed64(m, tag::sync_columns::kDurationNs, c.duration);
  PackedDelta(m, tag::sync_columns::kCorrelationDelta, c.correlation.values());
}

void Write(Message& block, const ApiColumns& c) {
  if (c.interval.rows() == 0) return;
  Message m(block, tag::block::kApiCalls);
  m.add_sfixed64(tag::api_columns::kBaseNs, c.interval.base());
  Packed32(m, tag::api_columns::kErrorRow, c.error_row);
  Packed32(m, tag::api_columns::kErrorCode, c.error_code);
  Packed(m, tag::api_columns::kNameGuess, c.name.misses());
  Packed(m, tag::api_columns::kThreadGuess, c.thread.misses());
  Packed(m, tag::api_columns::kCorrelationGuess, c.correlation.misses());
  Packed(m, tag::api_columns::kStartGuessNs, c.interval.starts());
  Packed(m, tag::api_columns::kDurationGuessNs, c.interval.durations());
  Packed(m, tag::api_columns::kStackGuess, c.stack.misses());
}

void Write(Message& block, const OverheadColumns& c) {
  if (c.kind.empty()) return;
  Message m(block, tag::block::kOverheads);
  m.add_sfixed64(tag::overhead_columns::kBaseNs, c.start.base());
  Packed32(m, tag::overhead_columns::kKind, c.kind);
  Packed32(m, tag::overhead_columns::kThread, c.thread);
  PackedDelta(m, tag::overhead_columns::kStartDeltaNs, c.start.values());
  Packed64(m, tag::overhead_columns::kDurationNs, c.duration);
}

void AddNumbers(Message& columns, uint32_t tag, const NumberColumns& c) {
  if (c.size() == 0) return;
  Message m(columns, tag);
  Packed(m, tag::name_numbers::kRowDelta, c.row_deltas());
  Packed(m, tag::name_numbers::kValueDelta, c.value_deltas());
  Packed(m, tag::name_numbers::kStyledDelta, c.styled_deltas());
  Packed(m, tag::name_numbers::kStyle, c.styles());
}

void Write(Message& block, const RangeColumns& c) {
  if (c.time.rows() == 0) return;
  Message m(block, tag::block::kRanges);
  m.add_sfixed64(tag::range_columns::kBaseNs, c.time.base());
  Packed(m, tag::range_columns::kThreadGuess, c.thread.misses());
  Packed(m, tag::range_columns::kPathGuess, c.path.misses());
  Packed(m, tag::range_columns::kTimeGuessNs, c.time.starts());
  AddNumbers(m, tag::range_columns::kNumbers, c.numbers);
  Packed(m, tag::range_columns::kShapesRowDelta, c.shapes.row_deltas());
  Packed(m, tag::range_columns::kShapes, c.shapes.texts());
}

void Write(Message& block, const SpanColumns& c) {
  if (c.path.empty()) return;
  Message m(block, tag::block::kSpans);
  m.add_sfixed64(tag::span_columns::kBaseNs, c.start.base());
  Packed32(m, tag::span_columns::kPath, c.path);
  Packed32(m, tag::span_columns::kStartThread, c.start_thread);
  Packed32(m, tag::span_columns::kEndThread, c.end_thread);
  PackedDelta(m, tag::span_columns::kStartDeltaNs, c.start.values());
  Packed64(m, tag::span_columns::kDurationNs, c.duration);
  AddNumbers(m, tag::span_columns::kNumbers, c.numbers);
}

void Write(Message& block, const MarkColumns& c) {
  if (c.path.empty()) return;
  Message m(block, tag::block::kMarks);
  m.add_sfixed64(tag::mark_columns::kBaseNs, c.time.base());
  Packed32(m, tag::mark_columns::kPath, c.path);
  Packed32(m, tag::mark_columns::kThread, c.thread);
  PackedDelta(m, tag::mark_columns::kTimeDeltaNs, c.time.values());
  AddNumbers(m, tag::mark_columns::kNumbers, c.numbers);
}

void Write(Message& block, const PayloadColumns& c) {
  if (c.path.empty()) return;
  Message m(block, tag::block::kPayloads);
  m.add_sfixed64(tag::payload_columns::kBaseNs, c.time.base());
  Packed32(m, tag::payload_columns::kThread, c.thread);
  PackedDelta(m, tag::payload_columns::kTimeDeltaNs, c.time.values());
  Packed32(m, tag::payload_columns::kPath, c.path);
  PackedEnum(m, tag::payload_columns::kType, c.type);
  Packed64(m, tag::payload_columns::kBits, c.bits);
  Packed32(m, tag::payload_columns::kField, c.field);
}

void Write(Message& block, const HostSampleColumns& c) {
  if (c.thread.empty()) return;
  Message m(block, tag::block::kHostSamples);
  m.add_sfixed64(tag::host_sample_columns::kBaseNs, c.time.base());
  Packed32(m, tag::host_sample_columns::kThread, c.thread);
  PackedDelta(m, tag::host_sample_columns::kTimeDeltaNs, c.time.values());
  PackedDelta(m, tag::host_sample_columns::kStackDelta, c.stack.values());
  PackedEnum(m, tag::host_sample_columns::kKind, c.kind);
  PackedEnum(m, tag::host_sample_columns::kState, c.state);
}

void Write(Message& block, const PmColumns& c) {
  if (c.rows() == 0) return;
  Message m(block, tag::block::kPmSamples);
  m.add_uint32(tag::pm_columns::kSeries, c.series());
  m.add_sfixed64(tag::pm_columns::kBaseNs, c.base_ns());
  PackedDelta(m, tag::pm_columns::kDurationDeltaNs, c.duration_delta);
  Packed32(m, tag::pm_columns::kGapRow, c.gap_row);
  PackedDelta(m, tag::pm_columns::kGapNs, c.gap);
  Packed32(m, tag::pm_columns::kMergedRow, c.merged_row);
  Packed32(m, tag::pm_columns::kMergedCount, c.merged_count);
  for (const PmValueColumn& values : c.values) {
    Message column(m, tag::pm_columns::kValues);
    PackedDelta(column, tag::pm_values::kDelta, values.delta);
    Packed32(column, tag::pm_values::kMissingRow, values.missing_row);
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
    PackedDelta(m, tag::graph_nodes::kNodeDelta, nodes.node_delta);
    PackedDelta(m, tag::graph_nodes::kPathDelta, nodes.path.values());
    if (nodes.any_stack) PackedDelta(m, tag::graph_nodes::kStackDelta, nodes.stack.values());
    if (nodes.any_torch_op) {
      PackedDelta(m, tag::graph_nodes::kTorchOpDelta, nodes.torch_op.values());
    }
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
  Write(block, columns.host_samples);
  Write(block, columns.allocations);
  Write(block, columns.tensors);
  Write(block, columns.pool_operations);
  Write(block, columns.unified_memory);
  Write(block, columns.gpu_states);
  for (const PmColumns& series : columns.pm_samples) Write(block, series);
  Write(block, integrity);
  if (trailer != nullptr) {
    Message m(block, tag::block::kTrailer);
    I64(m, tag::trailer::kEndNs, trailer->end_ns);
    U32(m, tag::trailer::kBlocks, trailer->blocks);
  }
}

}  // namespace prof::capture
