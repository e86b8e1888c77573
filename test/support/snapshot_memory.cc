// SPDX-License-Identifier: Apache-2.0
//
// The part of SnapshotBuilder for memory: it records and encodes allocations, pools, unified
// memory, and readings of the state of a GPU.
#include <utility>

#include "test/support/snapshot_builder.h"
#include "test/support/snapshot_records.h"

namespace prof::test {
namespace {

constexpr uint32_t kNoStream = 0xffffffff;

// Rows of `all` that go into block `index` of `blocks`.
template <typename T>
std::vector<T> Part(const std::vector<T>& all, int index, int blocks) {
  return {all.begin() + static_cast<ptrdiff_t>(all.size() * index / blocks),
          all.begin() + static_cast<ptrdiff_t>(all.size() * (index + 1) / blocks)};
}

int64_t Difference(uint64_t value, uint64_t before) { return static_cast<int64_t>(value - before); }

void AddStates(const std::vector<model::PoolState>& states, wire::PoolStateColumns* columns) {
  model::PoolState last;
  for (const model::PoolState& state : states) {
    columns->add_type(static_cast<wire::PoolType>(state.type));
    columns->add_address_delta(Difference(state.address, last.address));
    columns->add_reserved_delta(Difference(state.reserved, last.reserved));
    columns->add_used_delta(Difference(state.used, last.used));
    columns->add_threshold_delta(Difference(state.threshold, last.threshold));
    last = state;
  }
}

void AddAllocations(const std::vector<MemoryRow>& rows, wire::AllocationColumns* columns) {
  model::Allocation last;
  last.time_ns = rows[0].allocation.time_ns;
  columns->set_base_ns(last.time_ns);
  std::vector<model::PoolState> states;
  for (const MemoryRow& row : rows) {
    const model::Allocation& one = row.allocation;
    if (one.pooled) {
      columns->add_pool_row(static_cast<uint32_t>(columns->lane_size()));
      states.push_back(row.pool);
    }
    columns->add_operation(static_cast<wire::AllocationOperation>(one.operation));
    columns->add_memory(static_cast<wire::MemoryKind>(one.memory));
    columns->add_bytes(one.bytes);
    columns->add_address_delta(Difference(one.address, last.address));
    columns->add_lane(row.lane);
    columns->add_time_delta_ns(one.time_ns - last.time_ns);
    columns->add_correlation_delta(static_cast<int64_t>(one.correlation) - last.correlation);
    last = one;
  }
  if (!states.empty()) AddStates(states, columns->mutable_pool());
}

void AddTensors(const std::vector<TensorRow>& rows, wire::TensorColumns* columns) {
  TensorRow last;
  last.time_ns = rows[0].time_ns;
  columns->set_base_ns(last.time_ns);
  for (const TensorRow& row : rows) {
    columns->add_change(static_cast<wire::TensorChange>(row.change));
    columns->add_device(row.device);
    columns->add_thread(row.thread);
    columns->add_time_delta_ns(row.time_ns - last.time_ns);
    columns->add_address_delta(Difference(row.address, last.address));
    columns->add_bytes(row.bytes);
    columns->add_stack_delta(static_cast<int64_t>(row.stack) - last.stack);
    last = row;
  }
}

void AddPools(const std::vector<model::PoolState>& states, wire::PoolColumns* columns) {
  int64_t last_ns = states[0].time_ns;
  columns->set_base_ns(last_ns);
  AddStates(states, columns->mutable_state());
  for (const model::PoolState& state : states) {
    columns->add_operation(static_cast<wire::PoolOperation>(state.operation));
    columns->add_device(state.device);
    columns->add_managed(state.managed);
    columns->add_keep_bytes(0);
    columns->add_time_delta_ns(state.time_ns - last_ns);
    columns->add_correlation_delta(0);
    last_ns = state.time_ns;
  }
}

void AddUnified(const std::vector<model::UnifiedMemory>& events,
                wire::UnifiedMemoryColumns* columns) {
  int64_t last_ns = events[0].start_ns;
  columns->set_base_ns(last_ns);
  for (const model::UnifiedMemory& event : events) {
    columns->add_kind(static_cast<wire::UnifiedMemoryKind>(event.kind));
    columns->add_value(event.value);
    columns->add_source(event.source);
    columns->add_destination(event.destination);
    columns->add_cause(event.cause);
    columns->add_start_delta_ns(event.start_ns - last_ns);
    columns->add_duration_ns(static_cast<uint64_t>(event.end_ns - event.start_ns));
    last_ns = event.start_ns;
  }
}

void AddGpuStates(const std::vector<model::GpuState>& readings, wire::GpuStateColumns* columns) {
  int64_t last_ns = readings[0].time_ns;
  columns->set_base_ns(last_ns);
  for (const model::GpuState& reading : readings) {
    columns->add_kind(static_cast<wire::GpuStateKind>(reading.kind));
    columns->add_device(reading.device);
    columns->add_value(reading.value);
    columns->add_second(reading.second);
    columns->add_reasons(reading.reasons);
    columns->add_time_delta_ns(reading.time_ns - last_ns);
    last_ns = reading.time_ns;
  }
}

}  // namespace

uint32_t SnapshotBuilder::AddMemory(const model::Allocation& allocation, const char* api,
                                    std::string_view path, const MemoryUse& how) {
  Launch launch;
  launch.device = how.device;
  launch.stream = how.pool ? launch.stream : kNoStream;
  launch.no_api = how.no_api;
  launch.api_start_ns = allocation.time_ns - 1'000;
  MemoryRow row;
  row.allocation = allocation;
  row.allocation.memory = how.memory;
  row.allocation.pooled = how.pool.has_value();
  row.allocation.correlation = AddLaunch(api, path, allocation.time_ns, launch);
  row.pool = how.pool.value_or(model::PoolState{});
  row.lane = LaneId(launch);
  records_->allocations.push_back(row);
  return row.allocation.correlation;
}

uint32_t SnapshotBuilder::Allocate(uint64_t address, uint64_t bytes, std::string_view path,
                                   int64_t time_ns, const MemoryUse& how) {
  model::Allocation allocation;
  allocation.operation = model::AllocationOperation::kAllocate;
  allocation.address = address;
  allocation.bytes = bytes;
  allocation.time_ns = time_ns;
  return AddMemory(allocation, how.pool ? "cudaMallocAsync" : "cudaMalloc", path, how);
}

void SnapshotBuilder::Free(uint64_t address, int64_t time_ns, const MemoryUse& how) {
  model::Allocation allocation;
  allocation.operation = model::AllocationOperation::kFree;
  allocation.address = address;
  allocation.time_ns = time_ns;
  AddMemory(allocation, how.pool ? "cudaFreeAsync" : "cudaFree", "", how);
}

void SnapshotBuilder::Tensor(model::TensorChange change, uint64_t address, uint64_t bytes,
                             int64_t time_ns, const TensorPlace& how) {
  records_->tensors.push_back(
      {change, address, bytes, time_ns, how.device, ThreadId(how.tid), how.stack});
}

void SnapshotBuilder::Pool(const model::PoolState& state) { records_->pools.push_back(state); }

void SnapshotBuilder::Unified(const model::UnifiedMemory& event) {
  records_->unified.push_back(event);
}

void SnapshotBuilder::State(const model::GpuState& reading) {
  records_->gpu_states.push_back(reading);
}

void SnapshotBuilder::Records::FillMemory(int index, int blocks, wire::Block* block) const {
  if (const auto rows = Part(allocations, index, blocks); !rows.empty()) {
    AddAllocations(rows, block->mutable_allocations());
  }
  if (const auto rows = Part(tensors, index, blocks); !rows.empty()) {
    AddTensors(rows, block->mutable_tensors());
  }
  if (const auto states = Part(pools, index, blocks); !states.empty()) {
    AddPools(states, block->mutable_pool_operations());
  }
  if (const auto events = Part(unified, index, blocks); !events.empty()) {
    AddUnified(events, block->mutable_unified_memory());
  }
  if (const auto readings = Part(gpu_states, index, blocks); !readings.empty()) {
    AddGpuStates(readings, block->mutable_gpu_states());
  }
}

}  // namespace prof::test
