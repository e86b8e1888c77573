// SPDX-License-Identifier: Apache-2.0
//
// The roofline, with values that were computed by hand for an H200: 132 SMs, DRAM with 1,536 B per
// cycle at 3.2 GHz, fp16 tensor with 4,096 operations per cycle and SM.
#include "lib/analyzer/kernels/roofline.h"

#include <string>
#include <vector>

#include "lib/analyzer/kernels/flops.h"
#include "lib/analyzer/kernels/roofline_sum.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::analyzer::roofline_test {
namespace {

using Catch::Contains;

Statistic Once(double value) { return {1, value, value, value, value}; }

// A GEMM of 2,048 x 12,288 x 4,096 (2.06e11 operations) that takes 272 us at 1.5 GHz when it is
// counted, and 340 us at 1.2 GHz in the run.
struct Work {
  Measured counters;
  Statistic duration_ns = Once(340'000);
  model::Device device = test::H200();

  Work() {
    Set("gpc__cycles_elapsed.avg.per_second", 1.5e9);
    Set("dram__cycles_elapsed.avg.per_second", 3.2e9);
    Set("dram__bytes.sum.per_second", 321e6 / 272e-6);
    Set("dram__bytes_read.sum", 271e6);
    Set("dram__bytes_write.sum", 50e6);
    Set("sm__ops_path_tensor_src_fp16.sum", 2.06e11);
    counters.clock.sampled_ns = Once(272'000);
    counters.clock.sampled_hz = Once(1.5e9);
    counters.clock.run_hz = Once(1.2e9);
    device.chip = "GH100";
    device.peaks["sm__ops_path_tensor_op_hgmma_src_fp16.sum.peak_sustained"] = 1'081'344;
  }
  void Set(const std::string& metric, double value) { counters.metrics[metric] = Once(value); }
  [[nodiscard]] std::vector<FlopCount> Flops() const {
    return CountFlops(counters, duration_ns, &device).kinds;
  }
  [[nodiscard]] Roofline Get() const {
    return ComputeRoofline(counters, duration_ns, Flops(), &device);
  }
};

const RooflineLevel& Level(const Roofline& roofline, const std::string& name) {
  for (const RooflineLevel& level : roofline.levels) {
    if (level.level == name) return level;
  }
  FAIL("no level " << name);
  return roofline.levels.front();
}

TEST_CASE("Rates and peaks of a roofline are of the time and the clock of the run") {
  const Roofline roofline = Work().Get();
  CHECK(roofline.rates_of == "run");
  CHECK(roofline.time_ns == 340'000);
  CHECK(roofline.sm_clock_hz == 1.2e9);
  CHECK(roofline.flops_per_s.value() == Approx(2.06e11 / 340e-6));             // 606 Tflop/s
  CHECK(roofline.flop_peak_per_s.value() == Approx(132 * 4096 * 1.2e9));       // 649 Tflop/s
  CHECK(roofline.dram_bytes_per_s.value() == Approx(321e6 / 340e-6));          // 0.94 TB/s
  CHECK(roofline.sampled_dram_bytes_per_s.value() == Approx(321e6 / 272e-6));  // 1.18 TB/s
}

TEST_CASE("The share of the peak is the same in the run and in the samples when cycles are") {
  const std::vector<FlopCount> flops = Work().Flops();
  REQUIRE(flops.size() == 1);
  CHECK(flops[0].of_peak.value() == Approx(2.06e11 / 340e-6 / (132 * 4096 * 1.2e9)));  // 93 %
  CHECK(flops[0].sampled_per_s.value() / flops[0].sampled_peak_per_s.value() ==
        Approx(*flops[0].of_peak));
}

TEST_CASE("Without the clock of the run the share of the peak is that of the samples") {
  Work work;
  work.counters.clock.run_hz = {};
  const std::vector<FlopCount> flops = work.Flops();
  CHECK(flops[0].per_s.value() == Approx(2.06e11 / 340e-6));
  CHECK(flops[0].of_peak.value() == Approx(2.06e11 / 272e-6 / (132 * 4096 * 1.5e9)));
}

TEST_CASE("DRAM: intensity, ridge, attainable rate and distance") {
  const Roofline roofline = Work().Get();
  const RooflineLevel& dram = Level(roofline, "dram");
  CHECK(dram.bytes.value() == 321e6);
  CHECK(dram.ceiling_bytes_per_s.value() == Approx(1536 * 3.2e9));  // 4.915 TB/s
  CHECK_THAT(dram.ceiling, Contains("peak of the chip"));
  CHECK(dram.flops_per_byte.value() == Approx(2.06e11 / 321e6));             // 642 flop/B
  CHECK(dram.ridge.value() == Approx(132 * 4096 * 1.2e9 / (1536 * 3.2e9)));  // 132 flop/B
  CHECK(dram.attainable_flops_per_s.value() == Approx(132 * 4096 * 1.2e9));
  CHECK(roofline.bound_by == "compute");
  CHECK(roofline.of_attainable.value() == Approx(2.06e11 / 340e-6 / (132 * 4096 * 1.2e9)));
}

TEST_CASE("Below the ridge the level with the lowest roof bounds the rate") {
  Work work;
  work.Set("sm__ops_path_tensor_src_fp16.sum", 1e10);  // 31 flop/B
  const Roofline roofline = work.Get();
  CHECK(roofline.bound_by == "dram");
  CHECK(roofline.attainable_flops_per_s.value() == Approx(1e10 / 321e6 * 1536 * 3.2e9));
  CHECK(roofline.of_attainable.value() == Approx(321e6 / 340e-6 / (1536 * 3.2e9)));
}

TEST_CASE("L2 and L1 have bytes from sectors, and ceilings of the chip") {
  Work work;
  work.Set("lts__t_sectors.sum", 30e6);
  work.Set("lts__t_sectors.avg.pct_of_peak_sustained_elapsed", 40);
  for (const char* op : {"ld", "st"}) {
    work.Set(std::string("l1tex__t_sectors_pipe_lsu_mem_global_op_") + op + ".sum", 20e6);
  }
  const Roofline roofline = work.Get();
  const RooflineLevel& l2 = Level(roofline, "l2");
  CHECK(l2.bytes.value() == 960e6);
  CHECK(l2.bytes_per_s.value() == Approx(960e6 / 340e-6));
  CHECK(l2.ceiling_bytes_per_s.value() == Approx(960e6 / 272e-6 / 0.4));  // of the samples
  CHECK(l2.flops_per_byte.value() == Approx(2.06e11 / 960e6));
  const RooflineLevel& l1 = Level(roofline, "l1");
  CHECK(l1.bytes.value() == 1280e6);
  CHECK(l1.ceiling_bytes_per_s.value() == Approx(128 * 132 * 1.2e9));  // 20.3 TB/s
  CHECK(l1.of_ceiling.value() == Approx(1280e6 / 340e-6 / (128 * 132 * 1.2e9)));
}

TEST_CASE("A level that was not counted has the metric that would count it") {
  Work work;
  const Roofline roofline = work.Get();
  CHECK_FALSE(Level(roofline, "l2").bytes);
  CHECK_THAT(Level(roofline, "l2").missing, Contains("lts__t_sectors.sum"));
  CHECK_THAT(Level(roofline, "l1").missing, Contains("l1tex__t_sectors_pipe_lsu_mem_global_op_"));
  CHECK_FALSE(Level(roofline, "l1").of_ceiling);

  work.counters.metrics.erase("sm__ops_path_tensor_src_fp16.sum");
  const Roofline without = work.Get();
  CHECK_FALSE(without.flops_per_s);
  CHECK_FALSE(without.attainable_flops_per_s);
  CHECK_THAT(without.flops_missing, Contains("--counters all"));
  CHECK(Level(without, "dram").of_ceiling.value() == Approx(321e6 / 340e-6 / (1536 * 3.2e9)));
  CHECK(work.counters.metrics.size() == 5);

  work.counters.metrics.clear();
  CHECK(work.Get().levels.empty());
}

TEST_CASE("L1 has no bytes where TMA moved most of them") {
  Work work;
  work.Set("lts__t_sectors.sum", 30e6);
  work.Set("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 1e6);
  work.Set("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 1e6);
  const Roofline roofline = work.Get();
  CHECK_FALSE(Level(roofline, "l1").bytes);
  CHECK_THAT(Level(roofline, "l1").missing, Contains("TMA"));
}

TEST_CASE("More bytes than DRAM can move in the time of the run: rates are of the samples") {
  Work work;
  work.Set("dram__bytes_read.sum", 1200e6);
  work.Set("dram__bytes.sum.per_second", 1250e6 / 272e-6);
  work.duration_ns = Once(200'000);  // 6.25 TB/s
  const Roofline roofline = work.Get();
  CHECK(roofline.rates_of == "samples");
  CHECK(roofline.dram_bytes_per_s.value() == Approx(1250e6 / 272e-6));
  CHECK(roofline.sm_clock_hz == 1.5e9);
}

TEST_CASE("A kind with fewer operations leads when they take longer at its peak") {
  Work work;
  work.device.peaks["smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained"] = 16'896;
  work.Set("sm__ops_path_tensor_src_fp16.sum", 1e10);                    // 15 us at its peak
  work.Set("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 2e9);  // 99 us at its peak
  CHECK(work.Flops().front().kind == "fp16 tensor");
  CHECK(work.Get().flop_kind == "fp32");
}

TEST_CASE("Ceilings of the recording come before the peaks of the chip") {
  Work work;
  work.device.ceilings = {{"dram-read", 4.5e12, 5, 4.4e12, 4.6e12, 1.9e9},
                          {"dram-copy", 4.0e12, 5, 3.9e12, 4.1e12, 1.9e9},
                          {"dram-2to1", 4.2e12, 5, 4.1e12, 4.3e12, 0},
                          {"l1", 30e12, 5, 29e12, 31e12, 1.6e9},
                          {"l2", 8e12, 5, 7e12, 9e12, 1.9e9},
                          {"flops fp16 tensor", 800e12, 5, 790e12, 810e12, 1.6e9}};
  SECTION("between two mixes by the time of a byte") {
    const Roofline roofline = work.Get();
    const double part = (271.0 / 321 - 2.0 / 3) / (1 - 2.0 / 3);  // 84 % are reads
    const RooflineLevel& dram = Level(roofline, "dram");
    CHECK(dram.ceiling_bytes_per_s.value() == Approx(1 / ((1 - part) / 4.2e12 + part / 4.5e12)));
    CHECK(dram.ceiling == "between dram-2to1 and dram-read (measured), for 84 % reads");
    CHECK(Level(roofline, "l2").ceiling_bytes_per_s == 8e12);
  }
  SECTION("of the mix that was measured") {
    work.Set("dram__bytes_write.sum", 271e6);
    CHECK(Level(work.Get(), "dram").ceiling_bytes_per_s == 4.0e12);
    CHECK(Level(work.Get(), "dram").ceiling == "measured: dram-copy, n=5");
    work.Set("dram__bytes_write.sum", 1e6);
    CHECK(Level(work.Get(), "dram").ceiling == "measured: dram-read, n=5");
  }
  SECTION("of the nearest mix, where none is on the other side") {
    work.Set("dram__bytes_read.sum", 1e6);
    CHECK(Level(work.Get(), "dram").ceiling == "measured: dram-copy, n=5");
  }
  SECTION("of L1, at the clock of the run") {
    work.Set("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 30e6);
    work.Set("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 10e6);
    const RooflineLevel l1 = Level(work.Get(), "l1");
    CHECK(l1.ceiling_bytes_per_s.value() == Approx(30e12 * 1.2 / 1.6));
    CHECK(l1.ceiling == "measured: l1, n=5");
  }
  SECTION("those of the SMs at the clock of the run") {
    const Roofline roofline = work.Get();
    CHECK(roofline.flop_peak_per_s.value() == Approx(600e12));
    CHECK(roofline.flop_ceiling == "measured: flops fp16 tensor, n=5");
  }
}

// A kernel with `launches` launches of the GEMM above.
KernelReport Counted(const Work& work, int64_t launches) {
  KernelReport kernel{{}, work.counters};
  kernel.launches = launches;
  kernel.duration_ns = work.duration_ns;
  kernel.total_ns = work.duration_ns.median * static_cast<double>(launches);
  kernel.flops = work.Flops();
  kernel.roofline = work.Get();
  return kernel;
}

TEST_CASE("The roofline of a range is that of all launches of its kernels") {
  Work small;
  small.Set("dram__bytes_read.sum", 50e6);
  small.Set("sm__ops_path_tensor_src_fp16.sum", 1e10);
  small.duration_ns = Once(60'000);
  const KernelReport first = Counted(Work(), 2);
  const KernelReport second = Counted(small, 10);
  const Roofline roofline = SumRooflines({&first, &second});
  const double time_s = 2 * 340e-6 + 10 * 60e-6;
  CHECK(roofline.time_ns == Approx(time_s * 1e9));
  CHECK(Level(roofline, "dram").bytes.value() == Approx(2 * 321e6 + 10 * 100e6));
  CHECK(roofline.flops_per_s.value() == Approx((2 * 2.06e11 + 10 * 1e10) / time_s));
  CHECK(Level(roofline, "dram").flops_per_byte.value() ==
        Approx((2 * 2.06e11 + 10 * 1e10) / (2 * 321e6 + 10 * 100e6)));
  CHECK_FALSE(Level(roofline, "l2").bytes);
}

TEST_CASE("A range whose kernels were not all counted has no sum, but the reason") {
  const KernelReport first = Counted(Work(), 2);
  KernelReport second;
  second.launches = 1;
  second.total_ns = 320'000;
  const Roofline roofline = SumRooflines({&first, &second});
  CHECK_FALSE(Level(roofline, "dram").bytes);
  CHECK_THAT(Level(roofline, "dram").missing, Contains("32.0 % of the kernels' time"));
  CHECK_THAT(roofline.flops_missing, Contains("32.0 %"));
  CHECK_FALSE(roofline.flops_per_s);
  CHECK(SumRooflines({&second}).levels.empty());
}

}  // namespace
}  // namespace prof::analyzer::roofline_test
