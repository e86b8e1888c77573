// SPDX-License-Identifier: Apache-2.0
#include "lib/export/base/memory_levels.h"

#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::exporting::memory_levels_test {
namespace {

TEST_CASE("Levels are those of each GPU's own memory, after each change") {
  test::SnapshotBuilder b;
  test::MemoryUse pinned, second;
  pinned.memory = model::MemoryKind::kPinned;
  second.device = 1;
  b.Free(0x9000, 5'000);
  b.Allocate(0x1000, 100, "", 10'000);
  b.Allocate(0x2000, 7, "", 20'000, pinned);
  b.Allocate(0x3000, 30, "", 30'000, second);
  b.Allocate(0x1000, 60, "", 40'000);  // the record of the free is missing
  b.Free(0x3000, 50'000);
  b.Free(0x3000, 60'000);
  const std::vector<MemoryLevel> levels = MemoryLevels(ReadEvents(b.Snapshot()));
  REQUIRE(levels.size() == 4);
  CHECK(levels[0].bytes == 100);
  CHECK(levels[0].time_ns == 10'000);
  CHECK(levels[1].device == 1);
  CHECK(levels[1].bytes == 30);
  CHECK(levels[2].device == 0);
  CHECK(levels[2].bytes == 60);
  CHECK(levels[3].device == 1);
  CHECK(levels[3].bytes == 0);
}

TEST_CASE("Sizes without measure end at the largest number") {
  test::SnapshotBuilder b;
  b.Allocate(0x1000, ~uint64_t{0}, "", 10'000);
  b.Allocate(0x2000, 5, "", 20'000);
  b.Free(0x1000, 30'000);
  b.Free(0x2000, 40'000);
  const std::vector<MemoryLevel> levels = MemoryLevels(ReadEvents(b.Snapshot()));
  REQUIRE(levels.size() == 4);
  CHECK(levels[1].bytes == ~uint64_t{0});
  CHECK(levels[3].bytes == 0);
}

}  // namespace
}  // namespace prof::exporting::memory_levels_test
