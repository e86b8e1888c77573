// SPDX-License-Identifier: Apache-2.0
#include "lib/report/json/memory.h"

namespace prof {

Json ToJson(const MemoryHolder& value) {
  return {{"range", value.range}, {"blocks", value.blocks}, {"bytes", value.bytes}};
}

// null: the call has no stack.
Json ToJson(const SourcePlace& value) {
  if (!value.known()) return nullptr;
  return {{"file", value.file},
          {"function", value.function},
          {"module", value.module},
          {"line", value.line}};
}

Json ToJson(const LineHolder& value) {
  return {{"place", ToJson(value.place)}, {"blocks", value.blocks}, {"bytes", value.bytes}};
}

Json ToJson(const OpHolder& value) {
  return {{"op", value.op}, {"blocks", value.blocks}, {"bytes", value.bytes}};
}

Json ToJson(const BlocksOfSize& value) {
  return {{"bytes_each", value.bytes_each}, {"blocks", value.blocks}};
}

Json ToJson(const MemoryPart& value) { return {{"part", value.part}, {"bytes", value.bytes}}; }

Json ToJson(const RoleHolder& value) {
  return {{"role", ToString(value.role)}, {"blocks", value.blocks}, {"bytes", value.bytes}};
}

Json ToJson(const TensorSegments& value) {
  return {{"segments", value.segments},         {"bytes", value.bytes},
          {"unused_bytes", value.unused_bytes}, {"gaps", value.gaps},
          {"largest_gap", value.largest_gap},   {"outside_bytes", value.outside_bytes}};
}

Json ToJson(const TensorMemory& value) {
  return {{"device", value.device},
          {"peak_bytes", value.peak_bytes},
          {"peak_at_ns", Number(value.peak_at_ns)},
          {"bytes_at_end", value.bytes_at_end},
          {"allocations", value.allocations},
          {"blocks_at_peak", value.blocks_at_peak},
          {"roles", List(value.roles)},
          {"roles_named", value.roles_named},
          {"holders", List(value.holders)},
          {"lines", List(value.lines)},
          {"ops", List(value.ops)},
          {"segments", ToJson(value.segments)}};
}

Json ToJson(const TensorFailure& value) {
  return {{"bytes", value.bytes},
          {"device", value.device},
          {"range", value.range},
          {"place", ToJson(value.place)},
          {"op", value.op},
          {"count", value.count},
          {"first_at_ns", Number(value.first_at_ns)},
          {"allocated", value.allocated},
          {"roles", List(value.roles)},
          {"lines", List(value.lines)},
          {"segments", ToJson(value.segments)}};
}

Json ToJson(const DeviceMemory& value) {
  return {{"device", value.device},
          {"peak_bytes", value.peak_bytes},
          {"peak_at_ns", Number(value.peak_at_ns)},
          {"bytes_at_end", value.bytes_at_end},
          {"holders", List(value.holders)},
          {"lines", List(value.lines)},
          {"ops", List(value.ops)},
          {"parts", List(value.parts)},
          {"sizes", List(value.sizes)},
          {"blocks_at_peak", value.blocks_at_peak}};
}

Json ToJson(const GrowingHolder& value) { return {{"range", value.range}, {"bytes", value.bytes}}; }

Json ToJson(const GrowingLine& value) {
  return {{"place", ToJson(value.place)}, {"bytes", value.bytes}};
}

Json ToJson(const MemoryGrowth& value) {
  return {{"memory", value.memory},
          {"device", value.device ? Json(*value.device) : Json(nullptr)},
          {"step", value.step},
          {"by_launches", value.by_launches},
          {"steps", value.steps},
          {"first_bytes", value.first_bytes},
          {"last_bytes", value.last_bytes},
          {"bytes_per_step", Number(value.bytes_per_step)},
          {"at_least", Number(value.at_least)},
          {"at_most", Number(value.at_most)},
          {"grows", value.grows},
          {"why_not", value.why_not},
          {"holders", List(value.holders)},
          {"lines", List(value.lines)}};
}

Json ToJson(const AllocationFailure& value) {
  return {{"call", value.call},
          {"range", value.range},
          {"place", ToJson(value.place)},
          {"op", value.op},
          {"count", value.count},
          {"first_at_ns", Number(value.first_at_ns)},
          {"device", value.device ? Json(*value.device) : Json(nullptr)},
          {"bytes", value.device ? Json(value.bytes) : Json(nullptr)},
          {"holders", List(value.holders)},
          {"lines", List(value.lines)},
          {"unused_in_pools", value.unused_in_pools}};
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
          {"release_threshold", size(value.release_threshold)},
          {"unused_peak", size(value.unused_peak)},
          {"unused_when_grown", size(value.unused_when_grown)}};
}

Json ToJson(const RangeAllocations& value) {
  const bool left = value.blocks_at_end > 0;
  return {{"range", value.range},
          {"allocations", value.allocations},
          {"bytes", value.bytes},
          {"device_bytes", value.device_bytes},
          {"bytes_at_end", value.bytes_at_end},
          {"blocks_at_end", value.blocks_at_end},
          {"instances", value.instances},
          {"instances_left", value.instances_left},
          {"first_left_ns", left ? Number(value.first_left_ns) : Json(nullptr)},
          {"last_left_ns", left ? Number(value.last_left_ns) : Json(nullptr)}};
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
  return {{"devices", List(value.devices)},
          {"kinds", List(value.kinds)},
          {"pools", List(value.pools)},
          {"ranges", List(value.ranges)},
          {"growth", List(value.growth)},
          {"growth_missing", value.growth_missing},
          {"failures", List(value.failures)},
          {"tensors", List(value.tensors)},
          {"tensor_failures", List(value.tensor_failures)},
          {"frees_missing", value.frees_missing},
          {"records_lost", value.records_lost},
          {"unified", List(value.unified)}};
}

}  // namespace prof
