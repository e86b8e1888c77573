// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/decode/memory.h"

#include "lib/format/enums.h"
#include "lib/snapshot/decode/checks.h"
#include "prof/snapshot.pb.h"

namespace prof::snapshot {
namespace {

// Adds a row to Model::pool_states for each row of `columns`, without its operation, device and
// time.
absl::Status AddPoolStates(const wire::PoolStateColumns& columns, int rows, DecodeState* state) {
  model::Model& model = *state->model;
  absl::Status status =
      SameLength("pool states", {{"row", rows},
                                 {"type", columns.type_size()},
                                 {"address_delta", columns.address_delta_size()},
                                 {"reserved_delta", columns.reserved_delta_size()},
                                 {"used_delta", columns.used_delta_size()},
                                 {"threshold_delta", columns.threshold_delta_size()}});
  if (!status.ok()) return status;
  Sum address, reserved, used, threshold;
  for (int row = 0; row < rows; ++row) {
    model::PoolState& pool = model.pool_states.emplace_back();
    pool.type = format::FromNumber<model::PoolType>(columns.type(row));
    pool.address = static_cast<uint64_t>(address.Add(columns.address_delta(row)));
    pool.reserved = static_cast<uint64_t>(reserved.Add(columns.reserved_delta(row)));
    pool.used = static_cast<uint64_t>(used.Add(columns.used_delta(row)));
    pool.threshold = static_cast<uint64_t>(threshold.Add(columns.threshold_delta(row)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status AddAllocations(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  const wire::AllocationColumns& columns = block.allocations();
  const int rows = columns.lane_size();
  absl::Status status =
      SameLength("allocations", {{"lane", rows},
                                 {"operation", columns.operation_size()},
                                 {"memory", columns.memory_size()},
                                 {"bytes", columns.bytes_size()},
                                 {"address_delta", columns.address_delta_size()},
                                 {"time_delta_ns", columns.time_delta_ns_size()},
                                 {"correlation_delta", columns.correlation_delta_size()}});
  if (!status.ok()) return status;
  const size_t first = model.allocations.size();
  Sum address, time(columns.base_ns()), correlation;
  for (int row = 0; row < rows; ++row) {
    const uint32_t lane = columns.lane(row);
    if (lane >= state->lanes.size())
      return BadId("allocations", row, "lane", lane, state->lanes.size());
    model::Allocation& allocation = model.allocations.emplace_back();
    allocation.operation = format::FromNumber<model::AllocationOperation>(columns.operation(row));
    allocation.memory = format::FromNumber<model::MemoryKind>(columns.memory(row));
    allocation.device = state->lanes[lane].device;
    allocation.context = state->lanes[lane].context;
    allocation.stream = state->lanes[lane].stream;
    allocation.correlation = static_cast<uint32_t>(correlation.Add(columns.correlation_delta(row)));
    allocation.address = static_cast<uint64_t>(address.Add(columns.address_delta(row)));
    allocation.bytes = columns.bytes(row);
    allocation.time_ns = time.Add(columns.time_delta_ns(row));
    if (!ValidTime(allocation.time_ns)) return BadTime("allocations", row);
  }
  const size_t first_state = model.pool_states.size();
  status = AddPoolStates(columns.pool(), columns.pool_row_size(), state);
  if (!status.ok()) return status;
  for (int i = 0; i < columns.pool_row_size(); ++i) {
    const uint32_t row = columns.pool_row(i);
    if (row >= static_cast<uint32_t>(rows)) return BadRow("allocations", row, rows);
    model::Allocation& allocation = model.allocations[first + row];
    allocation.pooled = true;
    model::PoolState& pool = model.pool_states[first_state + i];
    pool.operation = model::PoolOperation::kAllocation;
    pool.device = allocation.device;
    pool.time_ns = allocation.time_ns;
  }
  return absl::OkStatus();
}

absl::Status AddTensors(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  const size_t threads = model.threads.size(), stacks = model.host_stacks.size();
  const wire::TensorColumns& columns = block.tensors();
  absl::Status status = SameLength("tensors", {{"change", columns.change_size()},
                                               {"device", columns.device_size()},
                                               {"thread", columns.thread_size()},
                                               {"time_delta_ns", columns.time_delta_ns_size()},
                                               {"address_delta", columns.address_delta_size()},
                                               {"bytes", columns.bytes_size()},
                                               {"stack_delta", columns.stack_delta_size()}});
  if (!status.ok()) return status;
  Sum time(columns.base_ns()), address, stack;
  for (int row = 0; row < columns.change_size(); ++row) {
    model::Allocation tensor;
    tensor.memory = model::MemoryKind::kDevice;
    tensor.device = columns.device(row);
    tensor.address = static_cast<uint64_t>(address.Add(columns.address_delta(row)));
    tensor.bytes = columns.bytes(row);
    tensor.time_ns = time.Add(columns.time_delta_ns(row));
    if (!ValidTime(tensor.time_ns)) return BadTime("tensors", row);
    tensor.thread = columns.thread(row);
    if (tensor.thread >= threads) return BadId("tensors", row, "thread", tensor.thread, threads);
    const auto id = static_cast<uint64_t>(stack.Add(columns.stack_delta(row)));
    if (id >= stacks) return BadId("tensors", row, "host stack", id, stacks);
    tensor.stack = static_cast<uint32_t>(id);
    const auto change = format::FromNumber<model::TensorChange>(columns.change(row));
    switch (change) {
      case model::TensorChange::kUnknown:
        break;
      case model::TensorChange::kAllocated:
        tensor.operation = model::AllocationOperation::kAllocate;
        model.tensors.changes.push_back(tensor);
        break;
      case model::TensorChange::kFreed:
        tensor.operation = model::AllocationOperation::kFree;
        model.tensors.changes.push_back(tensor);
        break;
      case model::TensorChange::kRefused:
        model.tensors.refused.push_back(tensor);
        break;
      default:
        model.tensors.uses.push_back({change, tensor.address, tensor.time_ns});
    }
  }
  return absl::OkStatus();
}

absl::Status AddPoolOperations(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  const wire::PoolColumns& columns = block.pool_operations();
  const int rows = columns.operation_size();
  absl::Status status =
      SameLength("pool operations", {{"operation", rows},
                                     {"device", columns.device_size()},
                                     {"managed", columns.managed_size()},
                                     {"keep_bytes", columns.keep_bytes_size()},
                                     {"time_delta_ns", columns.time_delta_ns_size()},
                                     {"correlation_delta", columns.correlation_delta_size()}});
  const size_t first = model.pool_states.size();
  if (status.ok()) status = AddPoolStates(columns.state(), rows, state);
  if (!status.ok()) return status;
  Sum time(columns.base_ns());
  for (int row = 0; row < rows; ++row) {
    model::PoolState& pool = model.pool_states[first + row];
    pool.operation = format::FromNumber<model::PoolOperation>(columns.operation(row));
    pool.managed = columns.managed(row);
    pool.device = columns.device(row);
    pool.time_ns = time.Add(columns.time_delta_ns(row));
    if (!ValidTime(pool.time_ns)) return BadTime("pool operations", row);
  }
  return absl::OkStatus();
}

absl::Status AddUnifiedMemory(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  const wire::UnifiedMemoryColumns& columns = block.unified_memory();
  const int rows = columns.kind_size();
  absl::Status status =
      SameLength("unified memory", {{"kind", rows},
                                    {"value", columns.value_size()},
                                    {"source", columns.source_size()},
                                    {"destination", columns.destination_size()},
                                    {"cause", columns.cause_size()},
                                    {"start_delta_ns", columns.start_delta_ns_size()},
                                    {"duration_ns", columns.duration_ns_size()}});
  if (!status.ok()) return status;
  Sum start(columns.base_ns());
  for (int row = 0; row < rows; ++row) {
    model::UnifiedMemory& event = model.unified_memory.emplace_back();
    event.kind = format::FromNumber<model::UnifiedMemoryKind>(columns.kind(row));
    event.value = columns.value(row);
    event.source = columns.source(row);
    event.destination = columns.destination(row);
    event.cause = columns.cause(row);
    if (!SetInterval(start.Add(columns.start_delta_ns(row)), columns.duration_ns(row), &event)) {
      return BadTime("unified memory", row);
    }
  }
  return absl::OkStatus();
}

}  // namespace prof::snapshot
