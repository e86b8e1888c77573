// SPDX-License-Identifier: Apache-2.0
//
// The analyzer end to end, from snapshot to report. The rules have tests of their own.
#include "prof/analyzer.h"

#include <random>
#include <string>

#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::analyzer_test {
namespace {

using Catch::Contains;
using test::Launch;
using test::SnapshotBuilder;

double RowSum(const Report& report) {
  double sum = 0;
  for (const RangeRow& row : report.rows) sum += row.time_ns;
  return sum;
}

TEST_CASE("Rows name the ranges in the order they appear and sum to the span exactly") {
  SnapshotBuilder b;
  const uint32_t norm = b.Shape("layernorm", {2048}, {256});
  const uint32_t gemm = b.Shape("sm90_xmma_gemm", {132}, {384});
  b.Range("layer", 0, 400'000);
  b.Range("layer/norm", 0, 95'000);
  b.Range("layer/qkv", 95'000, 300'000);
  b.Kernel(norm, "", 100'000, 120'000);
  b.Kernel(gemm, "", 130'000, 210'000);
  b.Kernel(gemm, "", 210'001, 280'000);
  b.Copy(model::CopyKind::kDeviceToHost, model::MemoryKind::kDevice, model::MemoryKind::kPinned,
         1'000'000, "", 450'000, 500'000);
  const Report report = Analyze(b.Snapshot());
  REQUIRE(report.error.empty());
  CHECK(report.span_ns == 400'000);
  CHECK(RowSum(report) == report.span_ns);
  REQUIRE(report.rows.size() == 4);
  CHECK(report.rows[0].label == "layer/norm");
  CHECK(report.rows[0].time_ns == 20'000);
  CHECK(report.rows[0].dominant == "layernorm");
  CHECK(report.rows[0].instances == 1);
  CHECK(report.rows[1].label == "layer/qkv");
  CHECK(report.rows[1].operations == 2);
  CHECK(report.rows[1].time_ns == 149'999);
  CHECK(report.rows[1].share == Approx(149'999 / 400'000.0));
  CHECK(report.rows[2].kind == RangeRow::Kind::kOutside);
  CHECK(report.rows[2].dominant == "copy, device to host");
  CHECK_THAT(report.rows[2].evidence, Contains("20.0 GB/s") && Contains("device to pinned"));
  CHECK(report.rows[3].kind == RangeRow::Kind::kGap);
  CHECK(report.rows[3].instances == 3);
  CHECK(report.rows[3].time_ns == 10'000 + 1 + 170'000);
}

TEST_CASE("Rows and gaps sum exactly on random timelines of overlapping streams and devices") {
  std::mt19937 random(7);
  const auto pick = [&](int64_t below) {
    return static_cast<int64_t>(random() % static_cast<uint32_t>(below));
  };
  for (int round = 0; round < 40; ++round) {
    SnapshotBuilder b;
    const uint32_t shapes[] = {b.Shape("a", {1}, {32}), b.Shape("b", {500}, {64})};
    const char* const paths[] = {"x", "x/y", "z", ""};
    // Times as they are in real files: nanoseconds since 1970.
    const int64_t zero_ns = 1'760'000'000'000'000'000;
    for (int i = 0; i < 80; ++i) {
      Launch how;
      how.device = static_cast<uint32_t>(pick(2));
      how.stream = static_cast<uint32_t>(pick(3));
      const int64_t start_ns = zero_ns + pick(3'000'000);
      if (pick(5) == 0) {
        b.Memset(100, paths[pick(4)], start_ns, start_ns + pick(60'000), how);
        continue;
      }
      const uint32_t launch =
          b.Kernel(shapes[pick(2)], paths[pick(4)], start_ns, start_ns + pick(60'000), how);
      if (pick(6) == 0) b.Sample(launch, {{"m", 1}});
    }
    const Report report = Analyze(b.Snapshot(2));
    INFO("round " << round);
    REQUIRE(report.error.empty());
    REQUIRE(RowSum(report) == report.span_ns);
    double idle_ns = 0, gaps_ns = 0, busy_ns = 0, shares = 0;
    for (const DeviceReport& device : report.devices) {
      idle_ns += device.idle_ns;
      busy_ns += device.busy_ns;
    }
    for (const GapSummary& gap : report.gaps) gaps_ns += gap.total_ns;
    for (const RangeRow& row : report.rows) {
      if (row.kind != RangeRow::Kind::kProfiler) shares += row.share;
    }
    REQUIRE(gaps_ns == idle_ns);
    REQUIRE(busy_ns + idle_ns == report.undisturbed_ns);
    REQUIRE(shares == Approx(1));
  }
}

TEST_CASE("The same kernel in two ranges, or with two grids, is several signatures") {
  SnapshotBuilder b;
  const uint32_t small = b.Shape("_Z5saxpyPf", {10}, {256});
  const uint32_t large = b.Shape("_Z5saxpyPf", {1000}, {256});
  b.Kernel(small, "a", 100'000, 110'000);
  b.Kernel(small, "b", 200'000, 230'000);
  b.Kernel(small, "a", 300'000, 320'000);
  b.Kernel(large, "a", 400'000, 405'000);
  const Report report = Analyze(b.Snapshot());
  REQUIRE(report.kernels.size() == 3);
  CHECK(report.kernels[0].total_ns == 30'000);  // by total time; the first of two equal ones first
  CHECK(report.kernels[0].range == "a");
  CHECK(report.kernels[0].launches == 2);
  CHECK(report.kernels[0].duration_ns.median == 15'000);
  CHECK(report.kernels[0].name == "saxpy");
  CHECK(report.kernels[0].full_name == "saxpy(float*)");
  CHECK(report.kernels[1].range == "b");
  CHECK(report.kernels[2].grid[0] == 1000);
  CHECK(report.kernels[0].occupancy.known);
}

TEST_CASE("Durations are those of undisturbed launches where there are any") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {132}, {256});
  b.Kernel(shape, "", 100'000, 110'000);
  b.Sample(b.Kernel(shape, "", 200'000, 290'000), {{"m", 1}});
  Launch untimed;
  untimed.untimed = true;
  b.Kernel(shape, "", 300'000, 300'000, untimed);
  const uint32_t other = b.Shape("only_sampled", {132}, {256});
  b.Sample(b.Kernel(other, "", 400'000, 440'000), {{"m", 1}});
  const Report report = Analyze(b.Snapshot());
  const KernelReport& kernel = report.kernel("k");
  CHECK(kernel.launches == 3);
  CHECK(kernel.duration_ns.n == 1);
  CHECK(kernel.duration_ns.median == 10'000);
  CHECK(kernel.total_ns == 100'000);
  CHECK(report.kernel("only_sampled").duration_ns.median == 40'000);
}

TEST_CASE("Time that prof disturbed stays in the span, as a row that is no evidence") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {132}, {256});
  b.Kernel(shape, "", 100'000, 200'000);
  b.Profiler(model::ProfilerWork::kRotate, 200'000, 900'000);
  b.Kernel(shape, "", 1'000'000, 1'100'000);
  b.Kernel(shape, "", 1'150'000, 1'200'000);
  const Report report = Analyze(b.Snapshot());
  CHECK(report.counter_cost_ns == 700'000);
  CHECK(report.span_ns == 1'100'000);
  CHECK(report.profiler_ns == 700'000);
  CHECK(report.undisturbed_ns == 400'000);
  CHECK(RowSum(report) == report.span_ns);
  REQUIRE(report.devices.size() == 1);
  CHECK(report.devices[0].busy_ns == 250'000);
  CHECK(report.devices[0].idle_ns == 150'000);
  REQUIRE(report.rows.size() == 3);
  CHECK(report.rows[0].share == 250.0 / 400);
  const RangeRow& ours = report.rows[2];
  CHECK(ours.kind == RangeRow::Kind::kProfiler);
  CHECK(ours.label == "prof (sampling)");
  CHECK(ours.time_ns == 700'000);
  CHECK(ours.share == 700.0 / 1100);
  CHECK_THAT(ours.evidence, Contains("changes of counters 700 us"));
  CHECK(report.kernels[0].share == 250.0 / 400);
}

TEST_CASE("Where prof disturbed nearly everything there are no findings, and the reason is there") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {132}, {256});
  b.Kernel(shape, "", 100'000, 200'000);
  b.Profiler(model::ProfilerWork::kSetup, 200'000, 9'900'000);
  b.Kernel(shape, "", 10'000'000, 10'100'000);
  const Report report = Analyze(b.Snapshot());
  CHECK(report.findings.empty());
  CHECK_THAT(report.findings_missing, Contains("prof disturbed all but 300 us of the 10.0 ms") &&
                                          Contains("less than 10.0 %"));
}

TEST_CASE("Less than one iteration without prof is too little for findings") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {132}, {256});
  for (int64_t i = 0; i < 3; ++i) {
    const int64_t at = i * 2'000'000;
    b.Range("step", at, at + 1'900'000);
    b.Kernel(shape, "", at + 100'000, at + 200'000);
    b.Profiler(model::ProfilerWork::kRotate, at + 300'000, at + 1'700'000);
    b.Kernel(shape, "", at + 1'800'000, at + 1'900'000);
  }
  const Report report = Analyze(b.Snapshot());
  CHECK(report.findings.empty());
  CHECK_THAT(report.findings_missing, Contains("an iteration takes 1.90 ms"));
}

TEST_CASE("The span of several devices is the sum of theirs, with a notice about it") {
  SnapshotBuilder b;
  b.Device(test::H200(0));
  b.Device(test::H200(1));
  const uint32_t shape = b.Shape("k", {132}, {256});
  Launch on_one;
  on_one.device = 1;
  b.Kernel(shape, "", 100'000, 200'000);
  b.Kernel(shape, "", 150'000, 250'000, on_one);
  const Report report = Analyze(b.Snapshot());
  CHECK(report.span_ns == 200'000);
  CHECK(report.kernels.size() == 2);
  REQUIRE(report.notices.size() == 1);
  CHECK_THAT(report.notices[0].what, Contains("sum of the spans of 2 devices"));
}

TEST_CASE("Copies are summed by direction and memory, with their overlap with kernels") {
  SnapshotBuilder b;
  const auto copy = [&](model::MemoryKind from, int64_t start_ns, int64_t end_ns) {
    Launch how;
    how.stream = 9;
    b.Copy(model::CopyKind::kHostToDevice, from, model::MemoryKind::kDevice, 1000, "", start_ns,
           end_ns, how);
  };
  const uint32_t shape = b.Shape("k", {132}, {256});
  b.Kernel(shape, "", 100'000, 200'000);
  b.Kernel(shape, "", 150'000, 210'000);  // overlaps the first: counts once
  b.Kernel(shape, "", 300'000, 310'000);
  copy(model::MemoryKind::kPinned, 50'000, 150'000);
  copy(model::MemoryKind::kPinned, 180'000, 320'000);
  copy(model::MemoryKind::kPageable, 400'000, 410'000);
  const Report report = Analyze(b.Snapshot());
  REQUIRE(report.copies.size() == 2);
  CHECK(report.copies[0].direction == "host to device");
  CHECK(report.copies[0].memory == "pinned to device");
  CHECK(report.copies[0].count == 2);
  CHECK(report.copies[0].bytes == 2000);
  CHECK(report.copies[0].time_ns == 240'000);
  CHECK(report.copies[0].overlapped_ns == 50'000 + 30'000 + 10'000);
  CHECK(report.copies[1].memory == "pageable to device");
  CHECK(report.copies[1].overlapped_ns == 0);
}

TEST_CASE("Copies have the ceiling that a calibration measured in their direction") {
  SnapshotBuilder b;
  model::Device device = test::H200();
  device.ceilings = {{"h2d", 50e9, 11, 49e9, 51e9, 0}};
  b.Device(device);
  const auto copy = [&](model::CopyKind kind, model::MemoryKind from, model::MemoryKind to) {
    b.Copy(kind, from, to, 1'000'000, "", 100'000, 200'000, {});
  };
  copy(model::CopyKind::kHostToDevice, model::MemoryKind::kPinned, model::MemoryKind::kDevice);
  copy(model::CopyKind::kDeviceToHost, model::MemoryKind::kDevice, model::MemoryKind::kPinned);
  const Report report = Analyze(b.Snapshot());
  REQUIRE(report.copies.size() == 2);
  for (const CopySummary& summary : report.copies) {
    CHECK(summary.ceiling_bytes_per_s == (summary.direction == "host to device" ? 50e9 : 0));
  }
}

TEST_CASE("Each loss is a sentence with its count; a complete capture has none") {
  SnapshotBuilder b;
  b.Kernel(b.Shape("k", {132}, {256}), "", 100'000, 200'000);
  CHECK(Analyze(b.Snapshot()).integrity.empty());

  Integrity losses;
  losses.dropped_by_cupti = 1204;
  losses.dropped_by_cap = 1;
  losses.buffers_refused = 2;
  losses.untimed = 3;
  losses.range_events_dropped = 4;
  losses.range_paths_dropped = 5;
  losses.unknown_records = 6;
  losses.signatures_dropped = 7;
  losses.samples_failed = 8;
  losses.bytes_not_written = 9;
  losses.launches_missed = 10;
  losses.clock_stepped = true;
  losses.incomplete = true;
  b.integrity = losses;
  const Report report = Analyze(b.Snapshot());
  CHECK(report.integrity.size() == 13);
  std::string all;
  for (const std::string& sentence : report.integrity) all += sentence + '\n';
  CHECK_THAT(all, Contains("1,204 records were dropped by CUPTI: "));
  CHECK_THAT(all, Contains("1 record was dropped at the memory cap"));
  CHECK_THAT(all, Contains("4 range events were dropped"));
  CHECK_THAT(all, Contains("10 launches are missing because another profiler"));
  CHECK_THAT(all, Contains("stopped by a deadline"));
  CHECK_THAT(all, Contains("system clock was set"));
}

TEST_CASE("A capture that was cut off is reported as such, and its records are analyzed") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {132}, {256});
  b.Kernel(shape, "", 100'000, 200'000);
  b.Kernel(shape, "", 300'000, 400'000);
  std::string bytes = b.Bytes(2);
  bytes.pop_back();
  const Report report = Analyze(Snapshot::FromBytes(bytes));
  CHECK(report.error.empty());
  CHECK(report.totals.kernels == 1);
  REQUIRE(report.integrity.size() == 1);
  CHECK_THAT(report.integrity[0], Contains("Block 2"));
  b.trailer = false;
  const Report killed = Analyze(b.Snapshot());
  REQUIRE(killed.integrity.size() == 1);
  CHECK_THAT(killed.integrity[0], Contains("not stopped in order"));
}

TEST_CASE("A snapshot that cannot be read is a report with an error and nothing else") {
  const Report report = Analyze(Snapshot::FromBytes("not a snapshot"));
  CHECK_THAT(report.error, Contains("not a recording of prof"));
  CHECK(report.kernels.empty());
  CHECK_FALSE(Analyze(Snapshot{}).error.empty());
  CHECK_THAT(Analyze(Snapshot::FromFile("no/such.prof")).error, Contains("no/such.prof"));
}

TEST_CASE("A capture that saw nothing is a report without rows, not an error") {
  SnapshotBuilder b;
  const Report report = Analyze(b.Snapshot());
  CHECK(report.error.empty());
  CHECK(report.span_ns == 0);
  CHECK(report.rows.empty());
  CHECK(report.command == "./app");
  CHECK(report.devices.size() == 1);
}

TEST_CASE("Notices have names for severity and subsystem; an unknown severity is an error") {
  SnapshotBuilder b;
  b.Notice(model::Severity::kError, model::Subsystem::kCounters, "counters are unavailable",
           "run as root");
  b.Notice(model::Severity{99}, model::Subsystem{255}, "x", "");
  const Report report = Analyze(b.Snapshot());
  REQUIRE(report.notices.size() == 2);
  CHECK(report.notices[0].severity == "error");
  CHECK(report.notices[0].subsystem == "counters");
  CHECK(report.notices[0].fix == "run as root");
  CHECK(report.notices[1].severity == "error");
  CHECK(report.notices[1].subsystem == "unknown");
}

TEST_CASE("Totals count what was recorded") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {132}, {256});
  b.Range("step", 0, 1'000'000);
  b.Kernel(shape, "", 100'000, 200'000);
  b.Kernel(shape, "", 200'000, 300'000);
  b.Memset(8, "", 400'000, 410'000);
  b.Api("cudaDeviceSynchronize", 420'000, 430'000);
  const Totals totals = Analyze(b.Snapshot()).totals;
  CHECK(totals.kernels == 2);
  CHECK(totals.memsets == 1);
  CHECK(totals.copies == 0);
  CHECK(totals.api_calls == 4);
  CHECK(totals.ranges == 1);
}

}  // namespace
}  // namespace prof::analyzer_test
