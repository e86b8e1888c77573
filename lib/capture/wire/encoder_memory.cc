// SPDX-License-Identifier: Apache-2.0
//
// The encoder's part for memory: allocations, pools, what moves managed memory.
#include "lib/capture/wire/columns.h"
#include "lib/capture/wire/encoder.h"

namespace prof::capture {
namespace {

void AddState(const PoolState& state, PoolStateColumns* columns) {
  columns->type.push_back(static_cast<int32_t>(state.type));
  columns->address.Add(state.address);
  columns->reserved.Add(state.reserved);
  columns->used.Add(state.used);
  columns->threshold.Add(state.threshold);
}

}  // namespace

void Encoder::Add(const AllocationEvent& event) {
  if (event.time_ns <= 0) {
    ++untimed_;
    return;
  }
  constexpr int32_t kAllocate = 1, kFree = 2;  // as in snapshot.proto
  AllocationColumns& columns = columns_->allocations;
  const auto row = static_cast<uint32_t>(columns.bytes.size());
  columns.operation.push_back(event.free ? kFree : kAllocate);
  columns.memory.push_back(static_cast<int32_t>(event.memory));
  columns.bytes.push_back(event.bytes);
  columns.address.Add(event.address);
  columns.lane.push_back(tables_.Lane(event));
  columns.time.Add(event.time_ns);
  columns.correlation.Add(event.correlation);
  if (!event.pooled) return;
  columns.pool_row.push_back(row);
  AddState(event.pool, &columns.pool);
}

void Encoder::Add(const PoolEvent& event) {
  if (event.time_ns <= 0) {
    ++untimed_;
    return;
  }
  PoolColumns& columns = columns_->pool_operations;
  columns.operation.push_back(static_cast<int32_t>(event.operation));
  columns.device.push_back(event.device);
  AddState(event.state, &columns.state);
  columns.managed.push_back(event.managed ? 1 : 0);
  columns.keep_bytes.push_back(event.keep_bytes);
  columns.time.Add(event.time_ns);
  columns.correlation.Add(event.correlation);
}

void Encoder::Add(const UnifiedMemoryEvent& event) {
  if (event.start_ns <= 0) {
    ++untimed_;
    return;
  }
  UnifiedMemoryColumns& columns = columns_->unified_memory;
  columns.kind.push_back(static_cast<int32_t>(event.kind));
  columns.value.push_back(event.value);
  columns.source.push_back(event.source);
  columns.destination.push_back(event.destination);
  columns.cause.push_back(event.cause);
  columns.start.Add(event.start_ns);
  columns.duration.push_back(DurationOf(event.start_ns, event.end_ns));
}

}  // namespace prof::capture
