// SPDX-License-Identifier: Apache-2.0
//
// Records of allocations that no program makes: frees without allocations, double frees, addresses
// that are taken, sizes without measure.
#include <random>

#include "prof/analyzer.h"
#include "test/analyzer/memory/memory_program.h"
#include "test/support/catch.h"

namespace prof::test::hostile_test {
namespace {

MemoryUse Drawn(std::mt19937* random) {
  constexpr model::MemoryKind kKinds[] = {model::MemoryKind::kUnknown, model::MemoryKind::kDevice,
                                          model::MemoryKind::kPinned, model::MemoryKind::kManaged,
                                          model::MemoryKind::kArray};
  MemoryUse use;
  use.memory = kKinds[(*random)() % 5];
  use.device = (*random)() % 3;
  use.no_api = (*random)() % 4 == 0;
  if ((*random)() % 3 == 0) {
    model::PoolState state;
    state.type = model::PoolType::kLocal;
    state.address = 0x5000 + (*random)() % 3;
    state.reserved = (*random)();
    state.used = (*random)();
    use.pool = state;
  }
  return use;
}

// Any order of allocations and frees of few addresses; sizes below `largest`.
Report Chaos(uint32_t seed, uint64_t largest) {
  std::mt19937 random(seed);
  SnapshotBuilder b;
  for (int i = 0; i < 40; ++i) b.Range("step/a", 1'000'000 + i * 100'000, 1'090'000 + i * 100'000);
  for (int i = 0; i < 2'000; ++i) {
    const uint64_t address = random() % 50;
    const int64_t time_ns = 1'000'000 + static_cast<int64_t>(random() % 5'000'000);
    if (random() % 2 == 0) {
      const uint64_t bytes = (uint64_t{random()} << 32 | random()) % largest;
      b.Allocate(address, bytes, "", time_ns, Drawn(&random));
    } else {
      b.Free(address, time_ns, Drawn(&random));
    }
  }
  return Analyze(b.Snapshot());
}

TEST_CASE("Of any records the holders sum to the peak, and each block begins and ends once") {
  for (uint32_t i = 0; i < 20; ++i) {
    const uint32_t seed = MemorySeed() + i;
    INFO("PROF_MEMORY_SEED=" << seed);
    const MemoryReport memory = Chaos(seed, 1'000'000'000'000).memory;
    for (const DeviceMemory& device : memory.devices) {
      uint64_t sum = 0;
      for (const MemoryHolder& holder : device.holders) sum += holder.bytes;
      CHECK(sum == device.peak_bytes);
    }
    int64_t allocations = 0, frees = 0, at_end = 0, of_ranges = 0, left = 0;
    for (const AllocationSummary& kind : memory.kinds) {
      allocations += kind.allocations;
      frees += kind.frees;
      at_end += kind.at_end;
    }
    for (const RangeAllocations& range : memory.ranges) {
      of_ranges += range.allocations;
      left += range.blocks_at_end;
      CHECK(range.instances_left <= range.instances);
    }
    CHECK(memory.frees_missing > 0);
    CHECK(allocations == frees + at_end + memory.frees_missing);
    CHECK(allocations == of_ranges);
    CHECK(at_end == left);
    for (const MemoryGrowth& growth : memory.growth) {
      int64_t sum = 0;
      for (const GrowingHolder& holder : growth.holders) sum += holder.bytes;
      CHECK(sum ==
            static_cast<int64_t>(growth.last_bytes) - static_cast<int64_t>(growth.first_bytes));
    }
  }
}

TEST_CASE("Sizes without measure end at the largest number, and the report is made") {
  for (uint32_t i = 0; i < 5; ++i) {
    const uint32_t seed = MemorySeed() + i;
    INFO("PROF_MEMORY_SEED=" << seed);
    const Report report = Chaos(seed, ~uint64_t{0});
    CHECK(report.error.empty());
    for (const DeviceMemory& device : report.memory.devices) {
      CHECK(device.peak_bytes >= device.bytes_at_end);
    }
  }
}

}  // namespace
}  // namespace prof::test::hostile_test
