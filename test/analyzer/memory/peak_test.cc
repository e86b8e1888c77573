// SPDX-License-Identifier: Apache-2.0
//
// Who holds the memory at its peak.
#include <string>

#include "prof/analyzer.h"
#include "test/analyzer/memory/memory_program.h"
#include "test/support/catch.h"

namespace prof::test::peak_test {
namespace {

Holds ByRange(const std::vector<MemoryHolder>& holders) {
  Holds holds;
  for (const MemoryHolder& holder : holders) holds[WithoutNumbers(holder.range)] += holder.bytes;
  return holds;
}

TEST_CASE("The holders at the peak are those that the program knows, and sum to the peak") {
  for (uint32_t i = 0; i < 10; ++i) {
    const uint32_t seed = MemorySeed() + i;
    INFO("PROF_MEMORY_SEED=" << seed);
    MemoryProgram program(seed);
    std::vector<uint64_t> kept;
    program.Allocate("weights", static_cast<uint64_t>(program.Draw(1, 40'000'000'000)));
    const int64_t steps = program.Draw(3, 30);
    for (int64_t step = 0; step < steps; ++step) {
      program.BeginStep();
      program.Temporaries("forward");
      program.Temporaries("");
      if (program.Draw(0, 1) == 1) {
        kept.push_back(program.Allocate("cache", static_cast<uint64_t>(program.Draw(1, 1 << 30))));
      }
      if (kept.size() > 4) {
        program.Free(kept.front());
        kept.erase(kept.begin());
      }
      program.EndStep();
    }
    const Report report = program.Analyzed();
    REQUIRE(report.memory.devices.size() == 1);
    const DeviceMemory& device = report.memory.devices[0];
    CHECK(device.peak_bytes == program.peak_bytes());
    CHECK(ByRange(device.holders) == program.at_peak());
    uint64_t sum = 0;
    int64_t blocks = 0;
    for (const MemoryHolder& holder : device.holders) {
      sum += holder.bytes;
      blocks += holder.blocks;
    }
    CHECK(sum == device.peak_bytes);
    CHECK(blocks == device.blocks_at_peak);
    Holds left;
    uint64_t at_end = 0;
    for (const RangeAllocations& range : report.memory.ranges) {
      at_end += range.bytes_at_end;
      if (range.bytes_at_end > 0) left[WithoutNumbers(range.range)] += range.bytes_at_end;
    }
    CHECK(left == program.live());
    CHECK(at_end == device.bytes_at_end);
    CHECK(report.memory.frees_missing == 0);
  }
}

TEST_CASE("Blocks at the peak are listed by size, ten sizes at most") {
  SnapshotBuilder b;
  for (uint64_t i = 0; i < 12; ++i) b.Allocate(0x100000 * (i + 1), 1'000 + i, "a", 10'000);
  b.Allocate(0x9000000, 900, "a", 10'000);
  b.Allocate(0xa000000, 900, "b", 10'000);
  const Report report = Analyze(b.Snapshot());
  const DeviceMemory& device = report.memory.devices.at(0);
  CHECK(device.blocks_at_peak == 14);
  REQUIRE(device.sizes.size() == 10);
  CHECK(device.sizes[0].bytes_each == 900);
  CHECK(device.sizes[0].blocks == 2);
  CHECK(device.sizes[1].bytes_each == 1'011);
}

TEST_CASE("Host memory and the memory of other devices hold nothing of a device's peak") {
  SnapshotBuilder b;
  MemoryUse pinned, other;
  pinned.memory = model::MemoryKind::kPinned;
  other.device = 1;
  b.Allocate(0x1000, 100, "a", 10'000);
  b.Allocate(0x2000, 900, "b", 20'000, pinned);
  b.Allocate(0x3000, 500, "c", 30'000, other);
  const Report report = Analyze(b.Snapshot());
  REQUIRE(report.memory.devices.size() == 2);
  REQUIRE(report.memory.devices[0].holders.size() == 1);
  CHECK(report.memory.devices[0].holders[0].range == "a");
  REQUIRE(report.memory.devices[1].holders.size() == 1);
  CHECK(report.memory.devices[1].holders[0].bytes == 500);
}

}  // namespace
}  // namespace prof::test::peak_test
