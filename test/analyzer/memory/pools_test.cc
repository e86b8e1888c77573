// SPDX-License-Identifier: Apache-2.0
//
// Pools that take more from their device while much of them lies unused.
#include <string>

#include "prof/analyzer.h"
#include "test/analyzer/memory/memory_program.h"
#include "test/support/catch.h"

namespace prof::test::pools_test {
namespace {

constexpr uint64_t kMiB = 1 << 20;

MemoryUse State(uint64_t reserved, uint64_t used) {
  model::PoolState state;
  state.type = model::PoolType::kLocal;
  state.address = 0x5000;
  state.reserved = reserved;
  state.used = used;
  MemoryUse use;
  use.pool = state;
  return use;
}

// A pool of 1,024 MiB of which `free` are freed; then it takes `more` from the device.
Report PoolThatGrows(uint64_t free, uint64_t more) {
  SnapshotBuilder b;
  b.Kernel(b.Shape("k", {132}, {256}), "", 100'000, 900'000);
  b.Allocate(0x1000, free * kMiB, "a", 110'000, State(1'024 * kMiB, free * kMiB));
  b.Allocate(0x2000, (1'024 - free) * kMiB, "a", 120'000, State(1'024 * kMiB, 1'024 * kMiB));
  b.Free(0x1000, 130'000, State(1'024 * kMiB, (1'024 - free) * kMiB));
  b.Allocate(0x3000, more * kMiB, "a", 140'000,
             State((1'024 + more) * kMiB, (1'024 - free + more) * kMiB));
  return Analyze(b.Snapshot());
}

TEST_CASE("A pool that took more while enough of it lay unused is a finding") {
  const Report report = PoolThatGrows(512, 256);
  const PoolReport& pool = report.memory.pools.at(0);
  CHECK(pool.unused_when_grown == 512 * kMiB);
  CHECK(pool.unused_peak == 512 * kMiB);
  CHECK(pool.reserved_at_end == 1'280 * kMiB);
  const Finding* finding = FindingOf(report, "pool-unused");
  REQUIRE(finding != nullptr);
  CHECK(finding->title.find("537 MB of it lay unused") != std::string::npos);
}

TEST_CASE("A pool that took more because too little of it was unused is no finding") {
  const Report report = PoolThatGrows(512, 1'024);
  CHECK(report.memory.pools.at(0).unused_when_grown == 0);
  CHECK(FindingOf(report, "pool-unused") == nullptr);
}

TEST_CASE("A small part that lay unused is no finding") {
  const Report report = PoolThatGrows(100, 64);
  CHECK(report.memory.pools.at(0).unused_when_grown == 100 * kMiB);
  CHECK(FindingOf(report, "pool-unused") == nullptr);
}

}  // namespace
}  // namespace prof::test::pools_test
