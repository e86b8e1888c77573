// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/kernels/occupancy.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace prof::analyzer {
namespace {

// The allocation rules of CUDA's cuda_occupancy.h.
constexpr uint64_t kRegisterUnit = 256;  // registers are given to a warp in units of this
constexpr uint64_t kSubPartitions = 4;   // each with a quarter of the SM's registers
constexpr uint64_t kSharedUnit = 128;    // bytes; 256 before compute capability 8.0
constexpr uint64_t kSharedUnitVolta = 256;
constexpr int kUnlimited = -1;

uint64_t CeilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
uint64_t RoundUp(uint64_t value, uint64_t unit) { return CeilDiv(value, unit) * unit; }

int RegisterLimit(const model::Shape& shape, const model::Device& device, uint64_t warps) {
  const uint64_t per_warp =
      RoundUp(uint64_t{shape.registers_per_thread} * device.warp_size, kRegisterUnit);
  if (per_warp == 0) return kUnlimited;
  // A warp's registers come from one sub-partition, so each is filled on its own.
  const uint64_t warps_per_sm =
      device.registers_per_sm / kSubPartitions / per_warp * kSubPartitions;
  return static_cast<int>(warps_per_sm / warps);
}

int SharedLimit(const model::Shape& shape, const model::Device& device) {
  const uint64_t unit = device.compute_major < 8 ? kSharedUnitVolta : kSharedUnit;
  const uint64_t per_block =
      RoundUp(uint64_t{shape.static_shared_bytes} + shape.dynamic_shared_bytes +
                  device.reserved_shared_memory_per_block,
              unit);
  if (per_block == 0) return kUnlimited;
  // The partition of L1 and shared memory that the SM had while the kernel ran.
  uint64_t available = device.shared_memory_per_sm;
  if (shape.shared_executed_bytes >= per_block) {
    available = std::min<uint64_t>(available, shape.shared_executed_bytes);
  }
  return static_cast<int>(available / per_block);
}

}  // namespace

Occupancy ComputeOccupancy(const model::Shape& shape, const model::Device* device) {
  Occupancy result;
  const double threads = double{1} * shape.block[0] * shape.block[1] * shape.block[2];
  if (device == nullptr || device->warp_size == 0 || device->sm_count == 0 ||
      device->max_threads_per_sm < device->warp_size || device->max_blocks_per_sm == 0 ||
      device->registers_per_sm == 0 || device->shared_memory_per_sm == 0 || threads < 1 ||
      threads > device->max_threads_per_sm) {
    return result;
  }
  const uint64_t warp_slots = device->max_threads_per_sm / device->warp_size;
  const uint64_t warps = CeilDiv(static_cast<uint64_t>(threads), device->warp_size);

  result.limit_blocks = static_cast<int>(std::min<uint32_t>(device->max_blocks_per_sm, warp_slots));
  result.limit_warps = static_cast<int>(warp_slots / warps);
  result.limit_registers = RegisterLimit(shape, *device, warps);
  result.limit_shared = SharedLimit(shape, *device);

  const std::pair<const char*, int*> limits[] = {{"registers", &result.limit_registers},
                                                 {"shared memory", &result.limit_shared},
                                                 {"warps", &result.limit_warps},
                                                 {"blocks", &result.limit_blocks}};
  int blocks = result.limit_blocks;
  for (const auto& [name, limit] : limits) {
    if (*limit != kUnlimited) blocks = std::min(blocks, *limit);
  }
  if (blocks < 1) return Occupancy{};
  for (const auto& [name, limit] : limits) {
    if (*limit == blocks) result.limited_by.emplace_back(name);
    if (*limit == kUnlimited) *limit = result.limit_blocks;
  }
  result.known = true;
  result.blocks_per_sm = blocks;
  result.theoretical =
      static_cast<double>(static_cast<uint64_t>(blocks) * warps) / static_cast<double>(warp_slots);
  const double grid = double{1} * shape.grid[0] * shape.grid[1] * shape.grid[2];
  result.waves = grid / (double{1} * blocks * device->sm_count);
  const double whole = std::ceil(result.waves);
  result.tail_lost = whole > 0 ? (whole - result.waves) / whole : 0;
  return result;
}

}  // namespace prof::analyzer
