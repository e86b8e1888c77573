// SPDX-License-Identifier: Apache-2.0
#include "lib/report/json/memory.h"

namespace prof {

Json ToJson(const DeviceMemory& value) {
  return {{"device", value.device},
          {"peak_bytes", value.peak_bytes},
          {"peak_at_ns", Number(value.peak_at_ns)},
          {"bytes_at_end", value.bytes_at_end}};
}

Json ToJson(const AllocationSummary& value) {
  return {{"device", value.device},
          {"memory", value.memory},
          {"pooled", value.pooled},
          {"allocations", value.allocations},
          {"bytes", value.bytes},
          {"frees", value.frees},
          {"bytes_freed", value.bytes_freed},
          {"frees_of_earlier", value.frees_of_earlier},
          {"peak_bytes", value.peak_bytes},
          {"peak_at_ns", Number(value.peak_at_ns)},
          {"bytes_at_device_peak", value.bytes_at_device_peak},
          {"at_end", value.at_end},
          {"bytes_at_end", value.bytes_at_end}};
}

Json ToJson(const PoolReport& value) {
  const auto size = [&](uint64_t bytes) { return value.imported ? Json(nullptr) : Json(bytes); };
  return {{"device", value.device},
          {"address", value.address},
          {"imported", value.imported},
          {"managed", value.managed},
          {"operations", value.operations},
          {"trims", value.trims},
          {"reserved_peak", size(value.reserved_peak)},
          {"used_peak", size(value.used_peak)},
          {"reserved_at_end", size(value.reserved_at_end)},
          {"used_at_end", size(value.used_at_end)},
          {"release_threshold", size(value.release_threshold)}};
}

Json ToJson(const RangeAllocations& value) {
  return {{"range", value.range},
          {"allocations", value.allocations},
          {"bytes", value.bytes},
          {"device_bytes", value.device_bytes},
          {"bytes_at_end", value.bytes_at_end}};
}

Json ToJson(const UnifiedMemorySummary& value) {
  return {{"kind", value.kind},
          {"cause", value.cause},
          {"device", value.device ? Json(*value.device) : Json(nullptr)},
          {"count", value.count},
          {"bytes", value.bytes},
          {"fault_groups", value.fault_groups},
          {"time_ns", Number(value.time_ns)}};
}

Json ToJson(const MemoryReport& value) {
  if (value.empty()) return nullptr;
  return {{"devices", List(value.devices)},       {"kinds", List(value.kinds)},
          {"pools", List(value.pools)},           {"ranges", List(value.ranges)},
          {"frees_missing", value.frees_missing}, {"records_lost", value.records_lost},
          {"unified", List(value.unified)}};
}

}  // namespace prof
