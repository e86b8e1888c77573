// SPDX-License-Identifier: Apache-2.0
//
// Memory in the report: allocations, memory pools and unified memory.
#ifndef PROF_MEMORY_REPORT_H_
#define PROF_MEMORY_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace prof {

/// Allocations of one kind while they were recorded. What was allocated before is in no figure.
struct AllocationSummary {
  uint32_t device = 0;  ///< For host memory: the current device.
  std::string memory;   ///< "device", "pinned", "managed", "array", "pageable", "unknown"
  bool pooled = false;  ///< From a memory pool (cudaMallocAsync).
  int64_t allocations = 0;
  uint64_t bytes = 0;  ///< Sum of all allocations.
  int64_t frees = 0;   ///< Frees of these allocations ...
  uint64_t bytes_freed = 0;
  int64_t frees_of_earlier = 0;       ///< ... and of memory without a record of its allocation.
  uint64_t peak_bytes = 0;            ///< The most that was allocated at one time.
  double peak_at_ns = 0;              ///< Time of the peak, after the recording began.
  uint64_t bytes_at_device_peak = 0;  ///< At DeviceMemory::peak_at_ns.
  int64_t at_end = 0;                 ///< Not freed when the recording ended.
  uint64_t bytes_at_end = 0;
};

/// Memory of one device that was allocated while it was recorded: the kinds "device" and
/// "array", from pools or not. Managed memory may be anywhere; it is not included.
struct DeviceMemory {
  uint32_t device = 0;
  uint64_t peak_bytes = 0;
  double peak_at_ns = 0;  ///< After the recording began.
  uint64_t bytes_at_end = 0;
};

/// A memory pool, by its states at each operation. A pool holds more than is allocated from it.
struct PoolReport {
  uint32_t device = 0;
  uint64_t address = 0;    ///< Identifies the pool.
  bool imported = false;   ///< It belongs to another process: its sizes are not known.
  bool managed = false;    ///< It holds managed memory; false if its creation was not recorded.
  int64_t operations = 0;  ///< Allocations and frees.
  int64_t trims = 0;
  uint64_t reserved_peak = 0;  ///< The most that it took from the device ...
  uint64_t used_peak = 0;      ///< ... and the most that was allocated from it.
  uint64_t reserved_at_end = 0;
  uint64_t used_at_end = 0;
  uint64_t release_threshold = 0;  ///< Last known; it keeps so much when nothing is allocated.
};

/// Allocations made in one NVTX range. Ranges that differ in numbers only are one, as in RangeRow.
struct RangeAllocations {
  std::string range;  ///< Equal to RangeRow::label.
  int64_t allocations = 0;
  uint64_t bytes = 0;
  uint64_t device_bytes = 0;  ///< The part that DeviceMemory counts.
  uint64_t bytes_at_end = 0;  ///< Not freed when the recording ended.
};

/// Actions of the driver on managed memory, of one kind for one cause.
struct UnifiedMemorySummary {
  /// "host to device", "device to host", "device to device", "CPU page faults", "GPU page faults",
  /// "thrashing", "throttling", "remote map", "unknown".
  std::string kind;
  std::string cause;  ///< "prefetch", "eviction", "read", ...; empty: CUPTI gives none.
  std::optional<uint32_t> device;  ///< It faulted, or memory moved to or from it.
  int64_t count = 0;
  uint64_t bytes = 0;         ///< For migrations, thrashing, remote maps.
  uint64_t fault_groups = 0;  ///< For GPU page faults.
  double time_ns = 0;         ///< Sum of durations, which may overlap.
};

struct MemoryReport {
  std::vector<DeviceMemory> devices;
  std::vector<AllocationSummary> kinds;  ///< By bytes, descending.
  std::vector<PoolReport> pools;         ///< By reserved_peak, descending.
  std::vector<RangeAllocations> ranges;  ///< By bytes, descending.
  /// Allocations at an address that was not free: the record of the free is missing, or was late.
  int64_t frees_missing = 0;
  /// Records were lost (Report::integrity lists them): allocations and frees may be among them, so
  /// every figure here may be too small or too large.
  bool records_lost = false;
  std::vector<UnifiedMemorySummary> unified;  ///< By time, descending. Recorded on request only.

  bool empty() const { return kinds.empty() && pools.empty() && unified.empty(); }
};

}  // namespace prof

#endif  // PROF_MEMORY_REPORT_H_
