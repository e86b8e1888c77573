// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/wire/memory_columns.h"

namespace prof::capture {

void PoolStateColumns::Add(const PoolState& state) {
  type.push_back(static_cast<int32_t>(state.type));
  address.Add(state.address);
  reserved.Add(state.reserved);
  used.Add(state.used);
  threshold.Add(state.threshold);
}

void AllocationColumns::Add(const AllocationEvent& event, uint32_t lane_id) {
  const auto row = static_cast<uint32_t>(bytes.size());
  operation.push_back(static_cast<int32_t>(event.free ? AllocationOperation::kFree
                                                      : AllocationOperation::kAllocate));
  memory.push_back(static_cast<int32_t>(event.memory));
  bytes.push_back(event.bytes);
  address.Add(event.address);
  lane.push_back(lane_id);
  time.Add(event.time_ns);
  correlation.Add(event.correlation);
  if (!event.pooled) return;
  pool_row.push_back(row);
  pool.Add(event.pool);
}

void PoolColumns::Add(const PoolEvent& event) {
  operation.push_back(static_cast<int32_t>(event.operation));
  device.push_back(event.device);
  state.Add(event.state);
  managed.push_back(event.managed ? 1 : 0);
  keep_bytes.push_back(event.keep_bytes);
  time.Add(event.time_ns);
  correlation.Add(event.correlation);
}

void TensorColumns::Add(const TensorEvent& event, uint32_t thread_id, uint32_t stack_id) {
  change.push_back(static_cast<int32_t>(event.change));
  device.push_back(event.device);
  thread.push_back(thread_id);
  time.Add(event.time_ns);
  address.Add(event.address);
  bytes.push_back(event.bytes);
  stack.Add(stack_id);
}

void UnifiedMemoryColumns::Add(const UnifiedMemoryEvent& event) {
  kind.push_back(static_cast<int32_t>(event.kind));
  value.push_back(event.value);
  source.push_back(event.source);
  destination.push_back(event.destination);
  cause.push_back(event.cause);
  start.Add(event.start_ns);
  duration.push_back(DurationOf(event.start_ns, event.end_ns));
}

}  // namespace prof::capture
