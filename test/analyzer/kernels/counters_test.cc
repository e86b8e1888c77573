// SPDX-License-Identifier: Apache-2.0
//
// Which samples count, and which values cannot be true.
#include <cmath>
#include <map>
#include <string>

#include "prof/analyzer.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::counters_test {
namespace {

using Catch::Contains;
using test::Launch;
using test::SnapshotBuilder;

constexpr char kDram[] = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
constexpr char kClock[] = "gpc__cycles_elapsed.avg.per_second";

struct Run {
  SnapshotBuilder b;
  uint32_t shape = b.Shape("saxpy", {1056}, {256});
  int64_t now_ns = 100'000;

  // One more launch, 50 us after the last one, sampled.
  void Sampled(const std::map<std::string, double>& metrics) {
    b.Sample(b.Kernel(shape, "", now_ns, now_ns + 20'000), metrics);
    now_ns += 50'000;
  }
  KernelReport Kernel() {
    const Report report = Analyze(b.Snapshot());
    INFO(report.error);
    REQUIRE(report.kernels.size() == 1);
    return report.kernels[0];
  }
};

bool HasNote(const KernelReport& kernel, const std::string& part) {
  for (const std::string& note : kernel.verdict.notes) {
    if (note.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST_CASE("A metric is the statistic of its samples, values that CUPTI did not give left out") {
  Run run;
  run.Sampled({{kDram, 80}, {"a.sum", 10}});
  run.Sampled({{kDram, 90}, {"a.sum", std::nan("")}});
  run.Sampled({{kDram, 70}, {"a.sum", INFINITY}});
  const KernelReport kernel = run.Kernel();
  CHECK(kernel.samples_used == 3);
  CHECK(kernel.samples_rejected == 0);
  CHECK(kernel.Metric(kDram) == 80);
  CHECK(kernel.metrics.at(kDram).n == 3);
  CHECK(kernel.metrics.at(kDram).min == 70);
  CHECK(kernel.metrics.at(kDram).max == 90);
  CHECK(kernel.metrics.at("a.sum").n == 1);
  CHECK_FALSE(kernel.Metric("b.sum"));
}

TEST_CASE(
    "A kernel has the samples of its launches before the seconds that are kept, and it is said") {
  Run run;
  run.b.Kernel(run.shape, "step", 100'000, 120'000);
  run.b.OlderSample(run.shape, "step", 20'000, {{kDram, 80}});
  run.b.OlderSample(run.shape, "step", 20'000, {{kDram, 82}});
  run.b.OlderSample(run.shape, "another", 20'000, {{kDram, 10}});  // it is not in the recording
  run.b.OlderSample(run.b.Shape("gone", {7}, {32}), "step", 5'000, {{kDram, 20}});
  const Report report = Analyze(run.b.Snapshot());
  CHECK(report.integrity.empty());
  const KernelReport kernel = run.Kernel();
  CHECK(kernel.samples_used == 2);
  CHECK(kernel.Metric(kDram) == 81);
  CHECK(kernel.launches == 1);
  CHECK(HasNote(kernel, "2 of its counter samples"));
}

TEST_CASE("Samples of several pass groups make up one set of metrics") {
  Run run;
  run.Sampled({{kDram, 80}});
  run.Sampled({{"sm__warps_active.avg.pct_of_peak_sustained_active", 62.5}});
  const KernelReport kernel = run.Kernel();
  CHECK(kernel.Metric(kDram) == 80);
  CHECK(kernel.occupancy.achieved == 0.625);
}

TEST_CASE("A sample whose kernel overlapped other work on its device is rejected") {
  Run run;
  run.Sampled({{kDram, 80}});
  run.Sampled({{kDram, 20}});
  run.Sampled({{kDram, 30}});
  Launch beside;
  beside.stream = 9;
  SECTION("a copy that began before it") {
    run.b.Copy(model::CopyKind::kHostToDevice, model::MemoryKind::kPinned,
               model::MemoryKind::kDevice, 8, "", 149'000, 151'000, beside);
    run.b.Memset(8, "", 219'999, 230'000, beside);  // into the end of the third one
    const KernelReport kernel = run.Kernel();
    CHECK(kernel.samples_used == 1);
    CHECK(kernel.samples_rejected == 2);
    CHECK(kernel.Metric(kDram) == 80);
  }
  SECTION("one that covers several") {
    run.b.Memset(8, "", 140'000, 230'000, beside);
    CHECK(run.Kernel().samples_rejected == 2);
  }
  SECTION("but not when that ran on another device") {
    beside.device = 1;
    run.b.Memset(8, "", 140'000, 230'000, beside);
    CHECK(run.Kernel().samples_rejected == 0);
  }
}

TEST_CASE("A sample at another SM clock than the others is rejected") {
  Run run;
  run.Sampled({{kDram, 80}, {kClock, 1.98e9}});
  run.Sampled({{kDram, 81}, {kClock, 1.97e9}});
  run.Sampled({{kDram, 50}, {kClock, 1.20e9}});
  run.Sampled({{"a.sum", 1}});  // no clock in this pass: nothing speaks against it
  const KernelReport kernel = run.Kernel();
  CHECK(kernel.samples_used == 3);
  CHECK(kernel.samples_rejected == 1);
  CHECK(kernel.metrics.at(kDram).min == 80);
}

TEST_CASE("A share of a peak above the peak is dropped with a note") {
  Run run;
  run.Sampled({{kDram, 104.2}});
  run.Sampled({{kDram, 103.9}});
  const KernelReport kernel = run.Kernel();
  CHECK_FALSE(kernel.Metric(kDram));
  CHECK(HasNote(kernel, "read above the device's peak (104.2 %) in 2 of 2 samples: not used"));
}

TEST_CASE("A hit rate above 100 % is dropped with a note, rounding is not") {
  Run run;
  run.Sampled({{"lts__t_sector_hit_rate.pct", 114}, {kDram, 100.4}});
  run.Sampled({{"lts__t_sector_hit_rate.pct", 60}, {kDram, 100.4}});
  const KernelReport kernel = run.Kernel();
  CHECK(kernel.Metric("lts__t_sector_hit_rate.pct") == 60);
  CHECK(HasNote(kernel, "lts__t_sector_hit_rate.pct read above 100 % (114.0 %) in 1 of 2"));
  CHECK(kernel.Metric(kDram) == 100.4);
}

TEST_CASE("The roofline uses CUPTI's peak at the clock that was read") {
  Run run;
  run.Sampled({{"dram__bytes.sum.per_second", 4.0e12},
               {"dram__bytes.sum.peak_sustained", 1536},
               {"dram__cycles_elapsed.avg.per_second", 3.2e9},
               {"gpu__time_duration.sum", 20'000},
               {"sm__ops_path_tensor_src_fp16.sum", 8e9},
               {"sm__ops_path_tensor_src_int8.sum", 0}});
  const Roofline roofline = run.Kernel().roofline;
  CHECK(roofline.dram_bytes_per_s.value() == Approx(4.0e12));
  CHECK(roofline.dram_peak_bytes_per_s.value() == Approx(4.9152e12));
  CHECK(roofline.flops_per_s.value() == Approx(4e14));
  CHECK(roofline.flop_kind == "fp16 tensor");
  CHECK(roofline.flops_per_byte.value() == Approx(100));
  CHECK_FALSE(roofline.flop_peak_per_s);
}

TEST_CASE("Ceilings that a recording has bound the roofline; those without a rate are left out") {
  Run run;
  model::Device device = test::H200();
  device.ceilings = {{"dram-read", 0, 5, 0, 0, 0}, {"dram-read", 4.2e12, 5, 4.1e12, 4.3e12, 1.9e9}};
  run.b.Device(device);
  run.Sampled({{"dram__bytes_read.sum", 42e6}, {"dram__bytes_write.sum", 0}});
  const Roofline roofline = run.Kernel().roofline;
  REQUIRE(roofline.levels.size() == 3);
  CHECK(roofline.levels[2].level == "dram");
  CHECK(roofline.levels[2].ceiling == "measured: dram-read, n=5");
  CHECK(roofline.levels[2].of_ceiling.value() == Approx(42e6 / 20e-6 / 4.2e12));
}

TEST_CASE("Without counters the roofline has the device's peak and no position") {
  Run run;
  run.b.Kernel(run.shape, "", 100'000, 110'000);
  const Roofline roofline = run.Kernel().roofline;
  CHECK(roofline.dram_peak_bytes_per_s.value() == Approx(1536 * 3.201e9));
  CHECK_FALSE(roofline.dram_bytes_per_s);
  CHECK_FALSE(roofline.flops_per_s);
  CHECK(roofline.flop_kind.empty());
}

TEST_CASE("More bytes a second than the memory can move are not a fact") {
  Run run;
  run.Sampled(
      {{"dram__bytes.sum.per_second", 6.0e12}, {"dram__cycles_elapsed.avg.per_second", 3.2e9}});
  const KernelReport kernel = run.Kernel();
  CHECK_FALSE(kernel.roofline.dram_bytes_per_s);
  CHECK_FALSE(kernel.Metric("dram__bytes.sum.per_second"));
  CHECK(HasNote(kernel, "dram__bytes.sum.per_second read 122.1 % of the device's peak"));
}

TEST_CASE("A sample without its kernel's record is reported as a loss") {
  Run run;
  run.Sampled({{kDram, 80}});
  run.b.Sample(4711, {{kDram, 20}});
  const Report report = Analyze(run.b.Snapshot());
  REQUIRE(report.integrity.size() == 1);
  CHECK_THAT(report.integrity[0], Contains("1 counter sample could not be assigned"));
  CHECK(report.totals.samples == 2);
}

}  // namespace
}  // namespace prof::counters_test
