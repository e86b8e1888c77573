// SPDX-License-Identifier: Apache-2.0
//
// Verdicts that name a unit, and kernels that look as if they deserved one.
#include <algorithm>
#include <string_view>
#include <vector>

#include "lib/analyzer/kernels/unit_use.h"
#include "lib/analyzer/rules/verdict_region.h"
#include "lib/analyzer/rules/verdict_rules.h"
#include "lib/analyzer/rules/verdict_table.h"
#include "lib/text/strings.h"
#include "test/analyzer/rules/kernels.h"
#include "test/support/catch.h"

namespace prof::test::unit_verdict_test {
namespace {

// Loads of 16 bytes a lane, whose bytes are all used.
void SetPackedLoads(KernelReport* kernel) {
  Set(kernel, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 16e6);
  Set(kernel, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 1e6);
  Set(kernel, "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", 32);
}

TEST_CASE("A stream copy is limited by DRAM, and the evidence has number, metric, n and spread") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "gpu__dram_throughput", 85);
  SetUse(&kernel, "lts__t_sectors", 50);
  Set(&kernel, "dram__bytes.sum.per_second", 4.1e12);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kDram);
  CHECK(verdict.rule == "dram-throughput");
  CHECK(verdict.confidence == Confidence::kMedium);
  CHECK(verdict.gain_at_most == Approx(1 - 0.85 / 0.95));
  REQUIRE(verdict.actions.size() >= 2);
  CHECK(verdict.actions[0].id == "dram-rate");
  CHECK(verdict.actions[1].id == "fewer-bytes");
  CHECK_FALSE(verdict.actions[1].gain_at_most);
  CHECK_FALSE(verdict.gain_formula.empty());
  REQUIRE_FALSE(verdict.evidence.empty());
  CHECK(verdict.evidence[0] ==
        "DRAM 85.00 % of peak (gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed; median of "
        "5, 84.92 to 85.08)");
  CHECK(Mentions(verdict.evidence, "4100.00 GB/s"));
  CHECK(verdict.missing.find("--counters all") != std::string::npos);
}

TEST_CASE("DRAM above what any kernel reaches has nothing to gain but fewer bytes") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "gpu__dram_throughput", 96);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kDram);
  CHECK_FALSE(verdict.known_gain());  // not bounded, which is not 0
  CHECK(verdict.actions.front().id == "fewer-bytes");
  CHECK(verdict.summary.find("already at its ceiling: only fewer bytes help") != std::string::npos);
}

// 4.9152 TB/s at its peak, and a calibration.
model::Device Calibrated() {
  model::Device device = Gpu();
  device.peaks["dram__bytes.sum.peak_sustained"] = 1536;
  device.memory_clock_khz = 3'200'000;
  device.ceilings = {{"dram-read", 4.5e12, 5, 4.4e12, 4.6e12, 0},
                     {"dram-copy", 4.0e12, 5, 3.9e12, 4.1e12, 0}};
  return device;
}

TEST_CASE("DRAM is judged by what a calibration of the device measured for its reads and writes") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "gpu__dram_throughput", 80);
  Set(&kernel, "dram__bytes_read.sum", 1e9);
  SECTION("A copy is at its ceiling") {
    Set(&kernel, "dram__bytes_write.sum", 1e9);
    const Verdict verdict = Decide(kernel, Calibrated());
    CHECK(Mentions(verdict.evidence,
                   "DRAM ceiling 81.4 % of peak: 4.00 TB/s on this device (measured: dram-copy, "
                   "n=5)"));
    CHECK(verdict.summary ==
          "DRAM is at 80.0 % of its peak, next to its ceiling: only fewer bytes help.");
    CHECK_FALSE(Offers(verdict, "dram-rate"));
    CHECK(Offers(verdict, "fewer-bytes"));
    SetUse(&kernel, "gpu__dram_throughput", 83);  // some kernels reach more
    CHECK(Decide(kernel, Calibrated()).summary.find("already at") != std::string::npos);
    SetUse(&kernel, "gpu__dram_throughput", 79);  // few warps are no reason next to the ceiling
    SetGrid(&kernel, 2 * 132, 8);
    Set(&kernel, "sm__warps_active.avg.pct_of_peak_sustained_active", 25);
    CHECK_FALSE(Offers(Decide(kernel, Calibrated()), "more-blocks"));
    CHECK(Offers(Decide(kernel), "more-blocks"));  // 95 % by our number
  }
  SECTION("Reads alone are not, and no lower rate that was measured bounds them") {
    Set(&kernel, "dram__bytes_write.sum", 0);
    const Verdict verdict = Decide(kernel, Calibrated());
    CHECK(Mentions(verdict.evidence, "DRAM ceiling 91.6 % of peak: 4.50 TB/s on this device"));
    CHECK(verdict.summary == "Limited by DRAM at 80.0 % of its peak.");
    REQUIRE(verdict.actions.front().id == "dram-rate");
    CHECK(verdict.actions.front().gain_at_most.value() == Approx(1 - 0.8 / 0.95));
  }
  SECTION("A DRAM that reaches more of its peak than others is bounded by that") {
    Set(&kernel, "dram__bytes_write.sum", 0);
    model::Device device = Calibrated();
    device.ceilings.front().per_s = 4.8e12;
    const Verdict verdict = Decide(kernel, device);
    REQUIRE(verdict.actions.front().id == "dram-rate");
    CHECK(verdict.actions.front().gain_at_most.value() == Approx(1 - 0.8 / (4.8e12 / 4.9152e12)));
  }
  SECTION("Of a mix that was not measured the highest ceiling counts") {
    Remove(&kernel, "dram__bytes_read.sum");
    const Verdict verdict = Decide(kernel, Calibrated());
    CHECK(Mentions(verdict.evidence,
                   "(measured: dram-read, n=5, the highest: its reads and writes were not told "
                   "apart)"));
    CHECK(Offers(verdict, "dram-rate"));
  }
  SECTION("Without a calibration, or without the peak, it is our number") {
    Set(&kernel, "dram__bytes_write.sum", 1e9);
    model::Device without_peak = Calibrated();
    without_peak.peaks.clear();
    without_peak.memory_clock_khz = 0;
    const Verdict uncalibrated = Decide(kernel), unknown = Decide(kernel, without_peak);
    CHECK(Mentions(uncalibrated.evidence, "the recording has no calibration"));
    CHECK(Mentions(unknown.evidence, "the peak of this device is not known"));
    for (const Verdict& verdict : {uncalibrated, unknown}) {
      CHECK(Mentions(verdict.evidence, "DRAM ceiling 95.0 % of peak: own"));
      CHECK(Offers(verdict, "dram-rate"));
    }
  }
}

TEST_CASE("Bank conflicts are not the verdict of a kernel at the ceiling that was measured") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "gpu__dram_throughput", 80);
  Set(&kernel, "dram__bytes_read.sum", 1e9);
  Set(&kernel, "dram__bytes_write.sum", 1e9);
  SetUse(&kernel, "l1tex__data_pipe_lsu_wavefronts", 79);
  SetUse(&kernel, "l1tex__data_pipe_lsu_wavefronts_mem_shared", 78);
  SetUse(&kernel, "l1tex__lsuin_requests", 5);
  for (const char* op : {"ld", "st"}) {
    const std::string suffix = std::string("_mem_shared_op_") + op + ".sum";
    Set(&kernel, "l1tex__data_pipe_lsu_wavefronts" + suffix, 32e6);
    Set(&kernel, "l1tex__data_bank_conflicts_pipe_lsu" + suffix, 31e6);
  }
  const Verdict verdict = Decide(kernel, Calibrated());
  CHECK(verdict.rule == "dram-throughput");
  SetUse(&kernel, "gpu__dram_throughput", 40);
  CHECK(Decide(kernel, Calibrated()).rule == "shared-bank-conflicts");
}

TEST_CASE("A kernel with DRAM at 95 % and low occupancy never gets the advice to raise occupancy") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "gpu__dram_throughput", 95);
  SetStall(&kernel, "long_scoreboard", 40);
  SetGrid(&kernel, 4000, 2);
  kernel.occupancy.theoretical = 0.125;
  kernel.occupancy.achieved = 0.12;
  kernel.occupancy.limited_by = {"shared memory"};
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kDram);
  CHECK_FALSE(AdvisesOccupancy(verdict));
  CHECK(Mentions(verdict.evidence, "warp slots in use 12.0 %"));
}

TEST_CASE("DRAM between 60 and 80 % leads by ten points: medium confidence") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "gpu__dram_throughput", 72);
  SetUse(&kernel, "sm__pipe_fma_cycles_active", 40);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kDram);
  CHECK(verdict.confidence == Confidence::kMedium);
  CHECK(verdict.runner_up.find("FMA pipe 40.0 %") != std::string::npos);
}

TEST_CASE("L2 as busy as DRAM is a consequence of DRAM traffic, not a second limit") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "gpu__dram_throughput", 74);
  SetUse(&kernel, "lts__t_sectors", 70);
  CHECK(Decide(kernel).limiter == Limiter::kDram);
}

TEST_CASE("A kernel whose data stays in L2 is limited by L2, not by DRAM") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "lts__t_sectors", 83);
  SetUse(&kernel, "gpu__dram_throughput", 6);
  SetPackedLoads(&kernel);
  Set(&kernel, "lts__t_sector_hit_rate.pct", 97);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kL2);
  CHECK(verdict.confidence == Confidence::kHigh);
  CHECK(Mentions(verdict.evidence, "L2 hit rate 97.00 %"));
}

TEST_CASE("L2 a little above a busy DRAM is mixed, not L2") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "lts__t_sectors", 76);
  SetUse(&kernel, "gpu__dram_throughput", 71);
  CHECK(Decide(kernel).limiter == Limiter::kMixed);
}

TEST_CASE("A kernel that reads its data from L1 is limited by L1") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "l1tex__data_pipe_lsu_wavefronts", 92);
  SetUse(&kernel, "sm__inst_executed_pipe_lsu", 88);
  SetPackedLoads(&kernel);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kL1);
  CHECK(verdict.confidence == Confidence::kHigh);
}

TEST_CASE("A load/store-bound kernel with a high compute SOL is not called compute-bound") {
  KernelReport kernel = QuietKernel();
  Set(&kernel, "sm__throughput.avg.pct_of_peak_sustained_elapsed", 93);
  SetUse(&kernel, "sm__inst_executed_pipe_lsu", 93);
  SetUse(&kernel, "l1tex__lsuin_requests", 70);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "lsu-throughput");
  CHECK(verdict.limiter == Limiter::kL1);
  CHECK(verdict.summary.find("load/store") != std::string::npos);
}

TEST_CASE(
    "Below 80 % the next explanation is the warps that wait, unless another unit is at 50 %") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "gpu__dram_throughput", 65);
  SetUse(&kernel, "lts__t_sectors", 60);  // a consequence
  SetStall(&kernel, "long_scoreboard", 40);
  Verdict verdict = Decide(kernel);
  REQUIRE(verdict.limiter == Limiter::kDram);
  CHECK(verdict.runner_up.rfind("warps that wait: long_scoreboard 9", 0) == 0);
  KernelReport queued = kernel;  // a queue of a unit that is full is that unit's work
  SetStall(&queued, "long_scoreboard", 1);
  SetStall(&queued, "lg_throttle", 40);
  CHECK(Decide(queued).runner_up.find("warps that wait") == std::string::npos);
  SetUse(&kernel, "gpu__dram_throughput", 85);
  verdict = Decide(kernel);
  REQUIRE(verdict.limiter == Limiter::kDram);
  CHECK(verdict.runner_up.rfind("L2 60.0 % of peak, a consequence", 0) == 0);
  SetUse(&kernel, "sm__pipe_fma_cycles_active", 35);  // less, and it competes
  CHECK(Decide(kernel).runner_up.rfind("FMA pipe 35.0 %", 0) == 0);
  SetUse(&kernel, "gpu__dram_throughput", 72);
  SetUse(&kernel, "sm__pipe_fma_cycles_active", 52);
  SetUse(&kernel, "lts__t_sectors", 40);
  verdict = Decide(kernel);
  REQUIRE(verdict.limiter == Limiter::kDram);
  CHECK(verdict.runner_up.rfind("FMA pipe 52.0 %", 0) == 0);
}

TEST_CASE("Shared memory without conflicts is limited by its throughput") {
  KernelReport kernel = QuietKernel();
  kernel.static_shared_bytes = 4096;
  SetUse(&kernel, "l1tex__data_pipe_lsu_wavefronts", 95);
  SetUse(&kernel, "l1tex__data_pipe_lsu_wavefronts_mem_shared", 94);
  Set(&kernel, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", 0.05 * 12.5e6);
  Set(&kernel, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 12.5e6);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "shared-throughput");
  CHECK(verdict.limiter == Limiter::kShared);
  CHECK_FALSE(HasNote(verdict, "bank-conflicts"));
}

TEST_CASE(
    "32-way bank conflicts are named with their number of ways and the gain of removing them") {
  KernelReport kernel = QuietKernel();
  kernel.static_shared_bytes = 32768;
  SetUse(&kernel, "l1tex__data_pipe_lsu_wavefronts", 99);
  SetUse(&kernel, "l1tex__data_pipe_lsu_wavefronts_mem_shared", 98);
  // 98 % of a wavefront in each of 101,000 cycles of 132 SMs.
  const double wavefronts = 0.98 * 101'000 * 132;
  Set(&kernel, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", 31 * wavefronts / 32);
  Set(&kernel, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", wavefronts);
  SetUse(&kernel, "sm__issue_active", 15);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "shared-bank-conflicts");
  CHECK(verdict.limiter == Limiter::kShared);
  CHECK(verdict.actions.front().id == "remove-bank-conflicts");
  CHECK(verdict.gain_at_most == Approx(0.85));  // the issue slots remain
  CHECK(verdict.summary.find("96.9 %") != std::string::npos);
}

TEST_CASE(
    "Without the level memory, shared memory is inferred from stalls, which the verdict names") {
  KernelReport kernel = QuietKernel();
  kernel.dynamic_shared_bytes = 32768;
  SetUse(&kernel, "l1tex__data_pipe_lsu_wavefronts", 97);
  SetStall(&kernel, "short_scoreboard", 20);
  SetStall(&kernel, "mio_throttle", 30);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kShared);
  CHECK(verdict.confidence == Confidence::kMedium);
  CHECK(verdict.missing.find("mem_shared") != std::string::npos);

  kernel.dynamic_shared_bytes = 0;  // a kernel without shared memory cannot be limited by it
  CHECK(Decide(kernel).limiter == Limiter::kL1);
}

TEST_CASE("A tensor kernel at 85 % with 13 % achieved occupancy is healthy") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "sm__pipe_tensor_cycles_active", 85);
  SetUse(&kernel, "l1tex__data_bank_reads", 87);
  SetStall(&kernel, "gmma", 30);
  Set(&kernel, "smsp__issue_active.avg.per_cycle_active", 0.14);
  SetGrid(&kernel, 132 * 4, 1);
  kernel.occupancy.theoretical = 0.1875;
  kernel.occupancy.achieved = 0.13;
  kernel.occupancy.limited_by = {"registers", "shared memory"};
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kTensor);
  CHECK_FALSE(AdvisesOccupancy(verdict));
}

TEST_CASE("A tensor kernel between 60 and 90 % never gets the advice to raise occupancy") {
  for (int tensor = 60; tensor <= 90; ++tensor) {
    for (const double other : {10.0, 55.0, 65.0, 75.0}) {
      KernelReport kernel = QuietKernel();
      SetUse(&kernel, "sm__pipe_tensor_cycles_active", tensor);
      SetUse(&kernel, "lts__t_sectors", other);
      SetStall(&kernel, "long_scoreboard", 30);
      SetGrid(&kernel, 132 * 4, 1);
      kernel.occupancy.theoretical = 0.125;
      kernel.occupancy.limited_by = {"shared memory"};
      CAPTURE(tensor, other);
      CHECK_FALSE(AdvisesOccupancy(Decide(kernel)));
    }
  }
}

TEST_CASE("Each math pipe is named when it is saturated") {
  const auto [metric, limiter, rule] =
      GENERATE(std::tuple("sm__pipe_fma_cycles_active", Limiter::kFma, "fma-throughput"),
               std::tuple("sm__pipe_alu_cycles_active", Limiter::kAlu, "alu-throughput"),
               std::tuple("sm__pipe_fp64_cycles_active", Limiter::kFp64, "fp64-throughput"),
               std::tuple("sm__inst_executed_pipe_xu", Limiter::kSfu, "sfu-throughput"),
               std::tuple("sm__pipe_tensor_cycles_active", Limiter::kTensor, "tensor-throughput"));
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, metric, 91);
  SetUse(&kernel, "sm__issue_active", 93);  // whatever a pipe executes was issued
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == limiter);
  CHECK(verdict.rule == rule);
  CHECK(verdict.gain_at_most == Approx(0.07));  // the same instructions need the same slots
  CHECK_FALSE(AdvisesOccupancy(verdict));
  SetUse(&kernel, "sm__issue_active", 97);
  CHECK(Decide(kernel).gain_at_most == 0);
}

TEST_CASE("An FMA kernel with four warps per SM does not get the advice to raise occupancy") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "sm__pipe_fma_cycles_active", 88);
  SetGrid(&kernel, 132 * 8, 1);
  kernel.occupancy.theoretical = 0.0625;
  kernel.occupancy.achieved = 0.0625;
  kernel.occupancy.limited_by = {"shared memory"};
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kFma);
  CHECK_FALSE(AdvisesOccupancy(verdict));
}

TEST_CASE("Issue slots are the limit only when no pipe is") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "sm__issue_active", 90);
  SetUse(&kernel, "sm__pipe_fma_cycles_active", 62);
  SetUse(&kernel, "sm__pipe_alu_cycles_active", 64);
  CHECK(Decide(kernel).limiter == Limiter::kIssue);
  SetUse(&kernel, "sm__pipe_alu_cycles_active", 85);
  CHECK(Decide(kernel).limiter == Limiter::kAlu);
}

TEST_CASE("Issue slots nearly as busy as a pipe are a consequence, not a second limit") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "sm__pipe_fma_cycles_active", 71);
  SetUse(&kernel, "sm__issue_active", 68);
  CHECK(Decide(kernel).limiter == Limiter::kFma);
}

TEST_CASE(
    "Two units above 60 % within ten points are mixed, both named, not with high confidence") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "gpu__dram_throughput", 71);
  SetUse(&kernel, "sm__pipe_fma_cycles_active", 68);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kMixed);
  CHECK(verdict.summary.find("DRAM") != std::string::npos);
  CHECK(verdict.summary.find("FMA") != std::string::npos);
  CHECK(verdict.confidence < Confidence::kHigh);
}

TEST_CASE("Two saturated units name the higher one, with the other as a note") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "gpu__dram_throughput", 90);
  SetUse(&kernel, "sm__pipe_fma_cycles_active", 86);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kDram);
  CHECK(verdict.confidence < Confidence::kHigh);
  CHECK(HasNote(verdict, "also-busy"));
}

TEST_CASE("A decode GEMM reads its weights from DRAM: the tensor pipe is not the limit") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "gpu__dram_throughput", 78);
  SetUse(&kernel, "sm__pipe_tensor_cycles_active", 6);
  CHECK(Decide(kernel).limiter == Limiter::kDram);
}

TEST_CASE("A saturated unit is named although others were not measured, with less confidence") {
  KernelReport kernel = QuietKernel();
  kernel.metrics.clear();
  SetUse(&kernel, "gpu__dram_throughput", 88);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kDram);
  CHECK(verdict.confidence == Confidence::kMedium);
  CHECK_FALSE(verdict.missing.empty());
}

TEST_CASE("An unstable clock or duration costs a level of confidence and has a note") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "gpu__dram_throughput", 85);
  SetPackedLoads(&kernel);
  kernel.clock = {};  // no counted launch is on the timeline: only the clock can be compared
  kernel.metrics["gpc__cycles_elapsed.avg.per_second"] = {5, 1.7e9, 1.5e9, 1.75e9, 8.5e9};
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.confidence == Confidence::kMedium);
  CHECK(HasNote(verdict, "unstable"));

  KernelReport slower = QuietKernel();
  SetUse(&slower, "gpu__dram_throughput", 85);
  SetPackedLoads(&slower);
  slower.clock.sampled_ns = {5, 130e3, 130e3, 130e3, 650e3};
  CHECK(Decide(slower).confidence == Confidence::kMedium);
  slower.clock.explains = true;
  CHECK(Decide(slower).confidence == Confidence::kHigh);

  KernelReport varying = QuietKernel();
  SetUse(&varying, "gpu__dram_throughput", 85);
  SetPackedLoads(&varying);
  varying.clock.sampled_ns = {5, 100e3, 95e3, 112e3, 505e3};
  CHECK(Decide(varying).confidence == Confidence::kMedium);
  varying.clock.sampled_cycles = {5, 170e3, 168e3, 172e3, 850e3};  // the clock took the time along
  CHECK(Decide(varying).confidence == Confidence::kHigh);
}

TEST_CASE("Two launches are not enough for high confidence, and a short kernel has a low one") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "gpu__dram_throughput", 85);
  kernel.launches = 2;
  CHECK(Decide(kernel).confidence == Confidence::kMedium);
  kernel.launches = 20;
  kernel.duration_ns.median = 8e3;
  kernel.clock.sampled_ns = {5, 8e3, 8e3, 8e3, 40e3};
  CHECK(Decide(kernel).confidence == Confidence::kLow);
  CHECK(Doubts(Decide(kernel)) == std::vector<std::string>{"short", "waste-unknown"});
}

// Makes one rule about units match.
struct UnitCase {
  std::string_view rule;
  std::vector<const char*> units;  // at 90 % of their peak
};

TEST_CASE("Each rule about a unit decides on a region, which has no kernel") {
  const char* const all = "l1tex__data_pipe_lsu_wavefronts";
  const char* const shared = "l1tex__data_pipe_lsu_wavefronts_mem_shared";
  const std::vector<UnitCase> cases = {{"dram-throughput", {"gpu__dram_throughput"}},
                                       {"l2-throughput", {"lts__t_sectors"}},
                                       {"l1-throughput", {all}},
                                       {"shared-bank-conflicts", {all, shared}},
                                       {"shared-throughput", {all, shared}},
                                       {"tensor-throughput", {"sm__pipe_tensor_cycles_active"}},
                                       {"fma-throughput", {"sm__pipe_fma_cycles_active"}},
                                       {"alu-throughput", {"sm__pipe_alu_cycles_active"}},
                                       {"fp64-throughput", {"sm__pipe_fp64_cycles_active"}},
                                       {"sfu-throughput", {"sm__inst_executed_pipe_xu"}},
                                       {"lsu-throughput", {"sm__inst_executed_pipe_lsu"}},
                                       {"texture-throughput", {"l1tex__f_wavefronts"}},
                                       {"issue-throughput", {"sm__issue_active"}},
                                       {"mixed", {}}};
  const model::Device device = test::Gpu();
  for (const UnitCase& one : cases) {
    INFO(one.rule);
    KernelReport counters = QuietKernel();
    for (const char* unit : one.units) SetUse(&counters, unit, 90);
    if (one.rule == "shared-bank-conflicts") {
      Set(&counters, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", 9e6);
      Set(&counters, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 12e6);
    }
    if (one.rule == "mixed") {
      SetUse(&counters, "gpu__dram_throughput", 65);
      SetUse(&counters, "sm__pipe_fma_cycles_active", 64);
    }
    counters.units = analyzer::FindUnits(counters.metrics, true);
    const Verdict verdict = analyzer::DecideRegion(RegionInstances{}, counters, &device, {});
    CHECK(verdict.rule == one.rule);
    CHECK_FALSE(verdict.summary.empty());
  }
  for (const std::string_view id : analyzer::VerdictRuleIds()) {
    if (!text::EndsWith(id, "-throughput")) continue;
    INFO(id);
    CHECK(std::any_of(cases.begin(), cases.end(),
                      [&](const UnitCase& one) { return one.rule == id; }));
  }
}

}  // namespace
}  // namespace prof::test::unit_verdict_test
