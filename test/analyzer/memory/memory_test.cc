// SPDX-License-Identifier: Apache-2.0
//
// Allocations and frees, from the file into the report.
#include <string>

#include "prof/analyzer.h"
#include "prof/snapshot.pb.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::memory_test {
namespace {

using test::MemoryUse;
using test::SnapshotBuilder;

constexpr uint64_t kMost = ~uint64_t{0};
constexpr uint64_t kMiB = 1 << 20;

MemoryReport Memory(SnapshotBuilder& b) {
  const Report report = Analyze(b.Snapshot());
  INFO(report.error);
  REQUIRE(report.error.empty());
  return report.memory;
}

MemoryUse Of(model::MemoryKind memory, uint32_t device = 0) {
  MemoryUse use;
  use.memory = memory;
  use.device = device;
  return use;
}

MemoryUse FromPool(uint64_t reserved, uint64_t used, uint64_t pool = 0x5000) {
  model::PoolState state;
  state.type = model::PoolType::kLocal;
  state.address = pool;
  state.reserved = reserved;
  state.used = used;
  MemoryUse use;
  use.pool = state;
  return use;
}

TEST_CASE("Without allocations there is nothing to report about memory") {
  SnapshotBuilder b;
  b.Kernel(b.Shape("k", {1}, {32}), "", 100'000, 110'000);
  CHECK(Memory(b).empty());
}

TEST_CASE("Where records were lost the figures of memory are marked as doubtful") {
  SnapshotBuilder b;
  b.Allocate(0x1000, 100, "", 11'000);
  CHECK_FALSE(Memory(b).records_lost);
  Integrity losses;
  losses.range_events_dropped = 4;  // no loss of allocations
  b.integrity = losses;
  CHECK_FALSE(Memory(b).records_lost);
  for (uint64_t Integrity::*loss : {&Integrity::dropped_by_cupti, &Integrity::buffers_refused,
                                    &Integrity::launches_missed, &Integrity::bytes_not_written}) {
    losses = {};
    losses.*loss = 1;
    b.integrity = losses;
    CHECK(Memory(b).records_lost);
  }
}

TEST_CASE("The peak is the most that was allocated at one time, with its moment") {
  SnapshotBuilder b;
  b.process.start_ns = 1'000;
  b.Allocate(0x1000, 100, "", 11'000);
  b.Allocate(0x2000, 50, "", 21'000);
  b.Free(0x1000, 31'000);
  b.Allocate(0x3000, 60, "", 41'000);
  const MemoryReport memory = Memory(b);
  REQUIRE(memory.devices.size() == 1);
  CHECK(memory.devices[0].peak_bytes == 150);
  CHECK(memory.devices[0].peak_at_ns == 20'000);
  CHECK(memory.devices[0].bytes_at_end == 110);
  REQUIRE(memory.kinds.size() == 1);
  const AllocationSummary& kind = memory.kinds[0];
  CHECK(kind.memory == "device");
  CHECK_FALSE(kind.pooled);
  CHECK(kind.allocations == 3);
  CHECK(kind.bytes == 210);
  CHECK(kind.frees == 1);
  CHECK(kind.bytes_freed == 100);
  CHECK(kind.frees_of_earlier == 0);
  CHECK(kind.peak_bytes == 150);
  CHECK(kind.bytes_at_device_peak == 150);
  CHECK(kind.at_end == 2);
  CHECK(kind.bytes_at_end == 110);
  CHECK(memory.frees_missing == 0);
}

TEST_CASE("Records that come late count at their time") {
  SnapshotBuilder b;
  b.Allocate(0x2000, 50, "", 40'000);
  b.Free(0x1000, 30'000);
  b.Allocate(0x1000, 100, "", 20'000);
  const MemoryReport memory = Memory(b);
  CHECK(memory.devices.at(0).peak_bytes == 100);
  CHECK(memory.kinds.at(0).frees == 1);
  CHECK(memory.kinds.at(0).frees_of_earlier == 0);
}

TEST_CASE("Host and managed memory are no part of a device's peak") {
  SnapshotBuilder b;
  b.Allocate(0x1000, 1'000, "", 10'000, Of(model::MemoryKind::kPinned));
  b.Allocate(0x2000, 2'000, "", 20'000, Of(model::MemoryKind::kManaged));
  b.Allocate(0x3000, 30, "", 30'000, Of(model::MemoryKind::kDevice));
  b.Allocate(0x4000, 4, "", 40'000, Of(model::MemoryKind::kArray));
  const MemoryReport memory = Memory(b);
  REQUIRE(memory.devices.size() == 1);
  CHECK(memory.devices[0].peak_bytes == 34);
  REQUIRE(memory.kinds.size() == 4);
  CHECK(memory.kinds[0].memory == "managed");
  CHECK(memory.kinds[1].memory == "pinned");
  CHECK(memory.kinds[1].peak_bytes == 1'000);
  CHECK(memory.kinds[2].memory == "device");
  CHECK(memory.kinds[3].memory == "array");
}

TEST_CASE("Each device has its own peak") {
  SnapshotBuilder b;
  b.Allocate(0x1000, 10, "", 10'000, Of(model::MemoryKind::kDevice, 0));
  b.Allocate(0x2000, 20, "", 20'000, Of(model::MemoryKind::kDevice, 3));
  b.Free(0x1000, 30'000, Of(model::MemoryKind::kDevice, 3));  // by another thread's device
  const MemoryReport memory = Memory(b);
  REQUIRE(memory.devices.size() == 2);
  CHECK(memory.devices[0].device == 0);
  CHECK(memory.devices[0].peak_bytes == 10);
  CHECK(memory.devices[0].bytes_at_end == 0);
  CHECK(memory.devices[1].device == 3);
  CHECK(memory.devices[1].peak_bytes == 20);
}

TEST_CASE("What was allocated before the recording began changes no figure when it is freed") {
  SnapshotBuilder b;
  b.Free(0x9000, 5'000);
  b.Allocate(0x1000, 100, "", 10'000);
  b.Free(0x8000, 20'000);
  b.Free(0x1000, 30'000);
  b.Free(0x1000, 40'000);  // twice: the program's error, or an earlier one of ours
  const MemoryReport memory = Memory(b);
  CHECK(memory.devices.at(0).peak_bytes == 100);
  CHECK(memory.devices.at(0).bytes_at_end == 0);
  CHECK(memory.kinds.at(0).frees == 1);
  CHECK(memory.kinds.at(0).bytes_freed == 100);
  CHECK(memory.kinds.at(0).frees_of_earlier == 3);
  CHECK(memory.kinds.at(0).at_end == 0);
}

TEST_CASE("Frees alone are reported, without a peak") {
  SnapshotBuilder b;
  b.Free(0x9000, 5'000);
  const MemoryReport memory = Memory(b);
  CHECK_FALSE(memory.empty());
  CHECK(memory.devices.empty());
  CHECK(memory.kinds.at(0).frees_of_earlier == 1);
}

TEST_CASE("Two allocations at one address are not there at one time") {
  SnapshotBuilder b;
  b.Allocate(0x1000, 100, "", 10'000);
  b.Allocate(0x1000, 60, "", 20'000);
  b.Free(0x1000, 30'000);
  const MemoryReport memory = Memory(b);
  CHECK(memory.devices.at(0).peak_bytes == 100);
  CHECK(memory.devices.at(0).bytes_at_end == 0);
  CHECK(memory.kinds.at(0).allocations == 2);
  CHECK(memory.kinds.at(0).frees == 1);
  CHECK(memory.kinds.at(0).bytes_freed == 60);
  CHECK(memory.frees_missing == 1);
}

TEST_CASE("Sizes that no machine has neither wrap round nor go below nothing") {
  SnapshotBuilder b;
  b.Allocate(0x1000, kMost, "", 10'000);
  b.Allocate(0x2000, kMost, "", 20'000);
  b.Allocate(0x3000, 7, "", 30'000);
  b.Free(0x1000, 40'000);
  b.Free(0x2000, 50'000);
  const MemoryReport memory = Memory(b);
  CHECK(memory.devices.at(0).peak_bytes == kMost);
  CHECK(memory.devices.at(0).bytes_at_end == 0);
  CHECK(memory.kinds.at(0).bytes == kMost);
  CHECK(memory.kinds.at(0).bytes_freed == kMost);
}

TEST_CASE("Pools are reported with the sizes that the driver gives") {
  SnapshotBuilder b;
  b.Allocate(0x1000, 4'096, "", 10'000, FromPool(32 * kMiB, 4'096));
  b.Allocate(0x2000, 8'192, "", 20'000, FromPool(64 * kMiB, 12'288));
  b.Free(0x2000, 30'000, FromPool(64 * kMiB, 4'096));
  b.Allocate(0x3000, 5, "", 35'000, FromPool(1, 1, 0x7000));
  model::PoolState trim;
  trim.operation = model::PoolOperation::kTrimmed;
  trim.type = model::PoolType::kLocal;
  trim.address = 0x5000;
  trim.reserved = 32 * kMiB;
  trim.used = 4'096;
  trim.threshold = 99;
  trim.time_ns = 40'000;
  b.Pool(trim);
  trim.address = 0x7000;
  trim.operation = model::PoolOperation::kDestroyed;
  b.Pool(trim);
  const MemoryReport memory = Memory(b);
  REQUIRE(memory.pools.size() == 2);
  const PoolReport& pool = memory.pools[0];
  CHECK(pool.address == 0x5000);
  CHECK_FALSE(pool.imported);
  CHECK(pool.operations == 3);
  CHECK(pool.trims == 1);
  CHECK(pool.reserved_peak == 64 * kMiB);
  CHECK(pool.used_peak == 12'288);
  CHECK(pool.reserved_at_end == 32 * kMiB);
  CHECK(pool.used_at_end == 4'096);
  CHECK(pool.release_threshold == 99);
  CHECK(memory.pools[1].address == 0x7000);
  CHECK(memory.pools[1].reserved_at_end == 0);
  CHECK(memory.kinds.at(0).pooled);
  CHECK(memory.devices.at(0).peak_bytes == 12'288);  // as the program asked, not as the pool holds
}

TEST_CASE("Allocations are counted in the range that made them, numbered ranges as in the rows") {
  SnapshotBuilder b;
  const uint32_t kernel = b.Shape("k", {1}, {32});
  for (int i = 0; i < 3; ++i) {
    b.Kernel(kernel, "layer " + std::to_string(i), 100'000 + i * 20'000, 110'000 + i * 20'000);
  }
  b.Allocate(0x1000, 10, "layer 0", 10'000);
  b.Allocate(0x2000, 20, "layer 1", 20'000);
  b.Allocate(0x3000, 30, "layer 2", 30'000);
  b.Allocate(0x4000, 400, "setup", 40'000, Of(model::MemoryKind::kPinned));
  b.Free(0x2000, 50'000);
  const MemoryReport memory = Memory(b);
  REQUIRE(memory.ranges.size() == 2);
  CHECK(memory.ranges[0].range == "setup");
  CHECK(memory.ranges[0].bytes == 400);
  CHECK(memory.ranges[0].device_bytes == 0);
  CHECK(memory.ranges[1].range == "layer * (3 ranges)");
  CHECK(memory.ranges[1].allocations == 3);
  CHECK(memory.ranges[1].bytes == 60);
  CHECK(memory.ranges[1].device_bytes == 60);
  CHECK(memory.ranges[1].bytes_at_end == 40);
}

TEST_CASE("Unified memory is summed up by kind, cause and device") {
  using Kind = model::UnifiedMemoryKind;
  SnapshotBuilder b;
  b.Unified({Kind::kHostToDevice, 9, 1, 3, 4'096, 10'000, 10'500});
  b.Unified({Kind::kHostToDevice, 9, 1, 3, 4'096, 11'000, 11'700});
  b.Unified({Kind::kHostToDevice, 9, 1, 2, 1, 12'000, 12'100});
  b.Unified({Kind::kDeviceToHost, 1, 9, 4, 8'192, 13'000, 13'200});
  b.Unified({Kind::kGpuFault, 1, 0, 2, 12, 14'000, 14'150});
  b.Unified({Kind::kCpuFault, 0, 0, 1, 0, 15'000, 15'000});
  b.Unified({Kind::kRemoteMap, 1, 9, 77, kMost, 16'000, 16'000});
  b.Unified({Kind::kRemoteMap, 1, 9, 77, kMost, 17'000, 17'000});
  const MemoryReport memory = Memory(b);
  REQUIRE(memory.unified.size() == 6);
  const UnifiedMemorySummary& first = memory.unified[0];
  CHECK(first.kind == "host to device");
  CHECK(first.cause == "prefetch");
  CHECK(first.device == 1u);
  CHECK(first.count == 2);
  CHECK(first.bytes == 8'192);
  CHECK(first.fault_groups == 0);
  CHECK(first.time_ns == 1'200);
  CHECK(memory.unified[1].kind == "device to host");
  CHECK(memory.unified[1].cause == "eviction");
  CHECK(memory.unified[1].device == 1u);
  CHECK(memory.unified[2].kind == "GPU page faults");
  CHECK(memory.unified[2].cause == "write");
  CHECK(memory.unified[2].fault_groups == 12);
  CHECK(memory.unified[2].bytes == 0);
  CHECK(memory.unified[3].cause == "coherence");
  CHECK(memory.unified[4].kind == "CPU page faults");
  CHECK(memory.unified[4].cause == "read");
  CHECK_FALSE(memory.unified[4].device.has_value());
  CHECK(memory.unified[5].kind == "remote map");
  CHECK(memory.unified[5].cause == "unknown");
  CHECK(memory.unified[5].bytes == kMost);
}

}  // namespace
}  // namespace prof::memory_test
