// SPDX-License-Identifier: Apache-2.0
//
// Memory columns hold allocations, the work of memory pools, and what moved managed memory.
#ifndef PROF_LIB_CAPTURE_WIRE_MEMORY_COLUMNS_H_
#define PROF_LIB_CAPTURE_WIRE_MEMORY_COLUMNS_H_

#include <cstdint>
#include <vector>

#include "lib/capture/events/events.h"
#include "lib/capture/wire/delta_columns.h"

namespace prof::capture {

struct PoolStateColumns {
  std::vector<int32_t> type;
  WrappingColumn address, reserved, used, threshold;

  void Add(const PoolState& state);
};

struct AllocationColumns {
  std::vector<int32_t> operation, memory;
  std::vector<uint64_t> bytes;
  WrappingColumn address;
  std::vector<uint32_t> lane;
  DeltaColumn time;
  CorrelationColumn correlation;
  std::vector<uint32_t> pool_row;
  PoolStateColumns pool;

  void Add(const AllocationEvent& event, uint32_t lane_id);
};

struct PoolColumns {
  std::vector<int32_t> operation;
  std::vector<uint32_t> device;
  PoolStateColumns state;
  std::vector<uint32_t> managed;
  std::vector<uint64_t> keep_bytes;
  DeltaColumn time;
  CorrelationColumn correlation;

  void Add(const PoolEvent& event);
};

struct TensorColumns {
  std::vector<int32_t> change;
  std::vector<uint32_t> device, thread;
  DeltaColumn time;
  WrappingColumn address;
  std::vector<uint64_t> bytes;
  CorrelationColumn stack;

  void Add(const TensorEvent& event, uint32_t thread_id, uint32_t stack_id);
};

struct UnifiedMemoryColumns {
  std::vector<int32_t> kind;
  std::vector<uint64_t> value;
  std::vector<uint32_t> source, destination, cause;
  DeltaColumn start;
  std::vector<uint64_t> duration;

  void Add(const UnifiedMemoryEvent& event);
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WIRE_MEMORY_COLUMNS_H_
