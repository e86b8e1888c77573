// SPDX-License-Identifier: Apache-2.0
//
// Launches that prof kept out of the trace: replayed, or counted by patched code.
#include <string>

#include "prof/analyzer.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::untraced_launches_test {
namespace {

using test::Launch;
using test::SnapshotBuilder;

constexpr char kDram[] = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
constexpr char kWindow[] = "gpu__time_duration.sum";

Launch Untraced() {
  Launch how;
  how.untraced = true;
  return how;
}

TEST_CASE("A kernel without a launch on the timeline has the time that its counters have") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("once", {1056}, {256});
  b.Sample(b.Kernel(shape, "", 100'000, 100'000, Untraced()), {{kDram, 85}, {kWindow, 30'000}});
  b.Sample(b.Kernel(shape, "", 300'000, 300'000, Untraced()), {{kDram, 85}, {kWindow, 32'000}});
  b.Kernel(shape, "", 500'000, 500'000, Untraced());
  double others_ns = 0;
  SECTION("the span is the sum of them where nothing else ran") {}
  SECTION("or they are added to it") {
    b.Memset(8, "", 1'000'000, 1'010'000);
    others_ns = 10'000;
  }
  const Report report = Analyze(b.Snapshot());
  const KernelReport& kernel = report.kernel("once");
  CHECK(kernel.duration_from_counters);
  CHECK(kernel.launches == 3);
  CHECK(kernel.duration_ns.n == 2);
  CHECK(kernel.duration_ns.median == 31'000);
  CHECK(kernel.total_ns == 93'000);
  CHECK(report.span_ns == 93'000 + others_ns);
  CHECK(kernel.share == Approx(93'000 / report.span_ns));
  double rows_ns = 0;
  for (const RangeRow& row : report.rows) rows_ns += row.time_ns;
  CHECK(rows_ns == report.span_ns);
  REQUIRE(report.devices.size() == 1);
  CHECK(report.devices[0].busy_ns == report.span_ns);
  CHECK(kernel.verdict.limiter == Limiter::kDram);
  CHECK(kernel.verdict.gain_at_most == Approx(1 - 0.85 / 0.95));
  CHECK(report.rows[0].gain_at_most_ns == Approx(93'000 * (1 - 0.85 / 0.95)));
  CHECK(report.integrity.empty());
}

TEST_CASE("A kernel that the timeline knows keeps its time, and its other launches only count") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("hot", {1056}, {256});
  b.Kernel(shape, "", 100'000, 120'000);
  b.Sample(b.Kernel(shape, "", 200'000, 200'000, Untraced()), {{kWindow, 50'000}});
  b.Kernel(shape, "", 400'000, 420'000);
  const Report report = Analyze(b.Snapshot());
  const KernelReport& kernel = report.kernel("hot");
  CHECK_FALSE(kernel.duration_from_counters);
  CHECK(kernel.launches == 3);
  CHECK(kernel.duration_ns.median == 20'000);
  CHECK(kernel.total_ns == 40'000);
  CHECK(report.integrity.empty());
}

TEST_CASE("A launch before the first traced one is of the same signature") {
  SnapshotBuilder b;
  Launch first = Untraced();
  model::Shape seen;  // what the launch callback knows of it
  seen.name = "hot";
  seen.grid = {1056, 1, 1};
  seen.block = {256, 1, 1};
  SECTION("nothing else is known of it") {}
  SECTION("and not with the registers that it has while it is traced") {
    seen.registers_per_thread = 8;
  }
  b.Sample(b.Kernel(b.Shape(seen), "", 100'000, 100'000, first), {{kDram, 85}});
  seen.registers_per_thread = 40;
  seen.static_shared_bytes = 64;
  b.Kernel(b.Shape(seen), "", 200'000, 220'000);
  const Report report = Analyze(b.Snapshot());
  REQUIRE(report.kernels.size() == 1);
  CHECK(report.kernels[0].launches == 2);
  CHECK(report.kernels[0].resources_known);
  CHECK(report.kernels[0].registers_per_thread == 40);
  CHECK(report.kernels[0].Metric(kDram) == 85);
}

TEST_CASE("Resources that nobody saw are unknown, and so is the occupancy") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("once", {1056}, {256}, 0);
  b.Sample(b.Kernel(shape, "", 100'000, 100'000, Untraced()), {{kDram, 85}, {kWindow, 30'000}});
  const KernelReport kernel = Analyze(b.Snapshot()).kernel("once");
  CHECK_FALSE(kernel.resources_known);
  CHECK_FALSE(kernel.occupancy.known);
}

TEST_CASE("The gap that an untraced launch leaves is the profiler's") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("long", {1056}, {256});
  b.Kernel(shape, "", 0, 10'000'000);
  b.Kernel(shape, "", 10'100'000, 10'100'000, Untraced());
  int64_t next_ns = 0;
  double idle_ns = 0;
  SECTION("for as long as others of its kind took") { next_ns = 20'200'000; }
  SECTION("but not one that is much longer") {
    next_ns = 60'000'000;
    idle_ns = 50'000'000;
  }
  b.Kernel(shape, "", next_ns, next_ns + 10'000'000);
  const Report report = Analyze(b.Snapshot());
  CHECK(report.profiler_ns == (idle_ns > 0 ? 0 : 10'200'000));
  CHECK(report.devices.at(0).idle_ns == idle_ns);
}

TEST_CASE("A short gap with an untraced launch in it is the profiler's, of that device only") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("traced", {1056}, {256});
  Launch untraced = Untraced();
  double idle_ns = 0;
  SECTION("on it") {}
  SECTION("on another") {
    untraced.device = 1;
    untraced.context = 2;
    idle_ns = 1'000'000;
  }
  b.Kernel(shape, "", 0, 100'000);
  b.Kernel(b.Shape("once", {4}, {32}, 0), "", 150'000, 150'000, untraced);
  b.Kernel(shape, "", 1'100'000, 1'200'000);
  const Report report = Analyze(b.Snapshot());
  CHECK(report.devices.at(0).idle_ns == idle_ns);
}

}  // namespace
}  // namespace prof::untraced_launches_test
