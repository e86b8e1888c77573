// SPDX-License-Identifier: Apache-2.0
#include "lib/ranks/read_ranks.h"

#include <string>
#include <vector>

#include "lib/snapshot/read/reader.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::ranks::test::read_ranks_test {
namespace {

constexpr int64_t kUs = 1'000;

std::vector<Rank> Read(prof::test::SnapshotBuilder& builder) {
  const auto model = ReadSnapshot(builder.Snapshot());
  REQUIRE(model.ok());
  return ReadRanks(*model, "a.prof");
}

TEST_CASE("A rank has its collectives in the order of their launches, and what ran beside them") {
  prof::test::SnapshotBuilder builder;
  const uint32_t nccl = builder.Shape(
      "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", {24}, {512});
  const uint32_t gemm = builder.Shape("gemm", {132}, {256});
  model::Device device;
  device.sm_count = 132;
  builder.Device(device);
  builder.Kernel(gemm, "", 0, 100 * kUs);  // before the first collective
  prof::test::Launch first, second;
  first.stream = second.stream = 9;
  first.api_start_ns = 200 * kUs;
  second.api_start_ns = 190 * kUs;  // launched before it, and runs after it
  builder.Kernel(nccl, "", 300 * kUs, 400 * kUs, first);
  builder.Kernel(nccl, "", 600 * kUs, 800 * kUs, second);
  builder.Kernel(gemm, "", 350 * kUs, 550 * kUs);
  const std::vector<Rank> ranks = Read(builder);
  REQUIRE(ranks.size() == 1);
  const Rank& rank = ranks.front();
  CHECK(rank.file == "a.prof");
  REQUIRE(rank.collectives.size() == 2);
  CHECK(rank.collectives[0].start_ns == rank.collectives[1].start_ns + 300 * kUs);
  CHECK(rank.collectives[0].sm_share == 24.0 / 132);
  CHECK(rank.sm_clock_hz == 0);
  CHECK(rank.collectives[0].exposed_ns == 200 * kUs);
  CHECK(rank.collectives[1].exposed_ns == 50 * kUs);
  CHECK(rank.names[rank.collectives[0].name].find("ncclDevKernel_AllReduce") == 0);
  CHECK(rank.collectives[1].compute_ns == 50 * kUs);
  CHECK(rank.collectives[1].idle_ns == 0);
  CHECK(rank.collectives[0].compute_ns == 200 * kUs);
  CHECK(rank.collectives[0].idle_ns == 50 * kUs);
  REQUIRE(rank.work.size() == 1);
  CHECK(rank.work[0].kernel == "gemm");
  CHECK(rank.work[0].launches == 1);
}

TEST_CASE("The SM clock of a rank is that of its PM samples between its collectives") {
  prof::test::SnapshotBuilder builder;
  const uint32_t nccl = builder.Shape("ncclDevKernel_AllReduce", {24}, {512});
  builder.Kernel(nccl, "", 100 * kUs, 200 * kUs);
  builder.Kernel(nccl, "", 700 * kUs, 800 * kUs);
  model::PmSeries series;
  series.interval_ns = 10 * kUs;
  series.metrics = {"gpc__cycles_elapsed.avg.per_second"};
  series.scales = {1};
  for (int64_t i = 0; i < 100; ++i) {
    series.begin_ns.push_back(i * 10 * kUs);
    series.end_ns.push_back((i + 1) * 10 * kUs);
    series.samples.push_back(1);
    series.values.push_back(i < 10 || i >= 80 ? 1e9F : 1.5e9F);
  }
  builder.Pm(series);
  const std::vector<Rank> ranks = Read(builder);
  REQUIRE(ranks.size() == 1);
  CHECK(ranks[0].sm_clock_hz == 1.5e9);
}

TEST_CASE("Of two collectives at a time the later one is alone only where the first has ended") {
  prof::test::SnapshotBuilder builder;
  const uint32_t nccl = builder.Shape("ncclDevKernel_AllReduce", {24}, {512});
  prof::test::Launch other;
  other.stream = 9;
  builder.Kernel(nccl, "", 100 * kUs, 300 * kUs);
  builder.Kernel(nccl, "", 200 * kUs, 350 * kUs, other);
  const std::vector<Rank> ranks = Read(builder);
  REQUIRE(ranks.size() == 1);
  CHECK(ranks[0].collectives[0].exposed_ns == 200 * kUs);
  CHECK(ranks[0].collectives[1].exposed_ns == 50 * kUs);
}

TEST_CASE("A collective behind prof's own work is held, and what idled meanwhile is no idle time") {
  prof::test::SnapshotBuilder builder;
  const uint32_t nccl = builder.Shape("ncclDevKernel_AllReduce", {24}, {512});
  for (const int64_t at_us : {100, 300, 1'000, 1'700, 1'900}) {
    builder.Kernel(nccl, "", at_us * kUs, (at_us + 100) * kUs);
  }
  builder.Profiler(model::ProfilerWork::kRotate, 450 * kUs,
                   750 * kUs);  // and as late until 1,050 us
  builder.Profiler(model::ProfilerWork::kSetup, 1'850 * kUs, 1'851 * kUs);
  builder.Profiler(model::ProfilerWork::kPause, 200 * kUs, 300 * kUs);  // the program asked for it
  const std::vector<Rank> ranks = Read(builder);
  REQUIRE(ranks.size() == 1);
  std::vector<bool> held;
  for (const Collective& one : ranks[0].collectives) held.push_back(one.held);
  CHECK(held == std::vector<bool>{false, false, true, false, false});
  // 100 us, then 50 us up to prof's work, then 600 us, then 100 us.
  CHECK(ranks[0].collectives.back().idle_ns == 850 * kUs);
}

TEST_CASE("Each GPU of a process with collectives is a rank, and a process without has none") {
  prof::test::SnapshotBuilder both, none;
  const uint32_t nccl = both.Shape("ncclKernel", {24}, {512});
  for (const uint32_t device : {0U, 1U}) {
    prof::test::Launch launch;
    launch.device = device;
    launch.context = 1 + device;
    both.Kernel(nccl, "", 100 * kUs, 200 * kUs, launch);
  }
  const std::vector<Rank> ranks = Read(both);
  REQUIRE(ranks.size() == 2);
  CHECK(ranks[0].name.find(" GPU 0") != std::string::npos);
  CHECK(ranks[1].device == 1);
  none.Kernel(none.Shape("gemm", {132}, {256}), "", 0, 100 * kUs);
  CHECK(Read(none).empty());
}

}  // namespace
}  // namespace prof::ranks::test::read_ranks_test
