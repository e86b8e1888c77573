// SPDX-License-Identifier: Apache-2.0
//
// Verdicts when no unit is busy, and what must not be taken for them.
#include <limits>

#include "lib/analyzer/rules/verdict_rules.h"
#include "test/analyzer/rules/kernels.h"
#include "test/support/catch.h"

namespace prof::test::wait_verdict_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("A kernel without counters is not measured, and the verdict names what is missing") {
  KernelReport kernel = QuietKernel();
  kernel.metrics.clear();
  Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kNotMeasured);
  CHECK(verdict.rule == "not-measured");
  CHECK(verdict.confidence == Confidence::kNone);
  CHECK(verdict.gain_at_most == 0);
  CHECK_FALSE(verdict.missing.empty());

  kernel.samples_rejected = 3;
  CHECK(Decide(kernel).missing.find("3 overlapped") != std::string::npos);
  kernel.samples_rejected = 0;
  kernel.in_graph = true;
  CHECK(Decide(kernel).missing.find("CUDA graph") != std::string::npos);
}

TEST_CASE("Metrics that are all NaN are no measurement") {
  KernelReport kernel = QuietKernel();
  for (auto& [name, value] : kernel.metrics) value.median = kNan;
  CHECK(Decide(kernel).limiter == Limiter::kNotMeasured);
}

TEST_CASE("Two quiet units and the rest missing is unknown, not latency") {
  KernelReport kernel = QuietKernel();
  SetStall(&kernel, "long_scoreboard", 90);
  Remove(&kernel, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed");
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kUnknown);
  CHECK(verdict.missing.find("DRAM") != std::string::npos);
  CHECK(verdict.confidence == Confidence::kLow);
}

TEST_CASE("A quiet kernel without stall metrics waits, and the level stalls would show for what") {
  KernelReport kernel = QuietKernel();
  for (const char* reason : {"selected", "wait", "barrier", "long_scoreboard"}) {
    Remove(&kernel,
           std::string("smsp__average_warps_issue_stalled_") + reason + "_per_issue_active.ratio");
  }
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kLatency);
  CHECK(verdict.rule == "no-unit-busy");
  CHECK(verdict.stall.empty());
  CHECK(verdict.missing.find("--counters stalls") != std::string::npos);
}

TEST_CASE("A quiet kernel whose stalls are spread evenly waits for several things") {
  KernelReport kernel = QuietKernel();
  SetStall(&kernel, "long_scoreboard", 1.1);
  Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kLatency);
  CHECK(verdict.rule == "several-stalls");
  CHECK(verdict.confidence == Confidence::kLow);
  CHECK(verdict.stall.empty());
  CHECK(verdict.summary.find("several things: 26.8 % of their time for data from global") !=
        std::string::npos);
  CHECK(verdict.gain_at_most == 0);
  CHECK(verdict.actions.empty());
  // Few warps: more of them would hide each of these.
  kernel.occupancy.theoretical = 0.375;
  kernel.occupancy.limited_by = {"registers"};
  Set(&kernel, "sm__warps_active.avg.pct_of_peak_sustained_active", 35);
  verdict = Decide(kernel);
  CHECK(verdict.rule == "several-stalls");
  CHECK(Offers(verdict, "raise-occupancy"));
  CHECK(verdict.gain_at_most > 0.5);
}

TEST_CASE("Pipes that were not measured are not busy where the issue slots rest") {
  KernelReport kernel = QuietKernel();
  SetStall(&kernel, "long_scoreboard", 90);
  for (const char* unit : {"sm__pipe_fma_cycles_active", "sm__pipe_fmaheavy_cycles_active",
                           "sm__pipe_fp64_cycles_active"}) {
    Remove(&kernel, std::string(unit) + ".avg.pct_of_peak_sustained_elapsed");
  }
  SetUse(&kernel, "sm__issue_active", 0.2);
  const Verdict waits = Decide(kernel);
  CHECK(waits.rule == "latency-stall");
  CHECK(Mentions(waits.evidence, "FMA and FP64 not measured, and idle: the issue slots rest"));
  SetUse(&kernel, "sm__issue_active", 2);  // FP64 of a chip with two lanes for it could be busy
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kUnknown);
  CHECK(verdict.missing.find("FP64") != std::string::npos);
}

TEST_CASE("Issue slots at 66 % are the limit where no stall stands out, and not where one does") {
  KernelReport kernel = QuietKernel();
  Set(&kernel, "sm__issue_active.avg.pct_of_peak_sustained_elapsed", 66);
  Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kIssue);
  CHECK(verdict.rule == "issue-slots");
  CHECK(verdict.confidence == Confidence::kLow);
  CHECK_THAT(verdict.summary, Catch::Contains("issue slots at 66.0 %"));
  SetStall(&kernel, "long_scoreboard", 60);
  verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kLatency);
}

TEST_CASE("A full queue in front of units that rest holds constants of different indices") {
  KernelReport kernel = QuietKernel();
  for (const char* unit :
       {"l1tex__data_pipe_lsu_wavefronts", "l1tex__lsuin_requests", "l1tex__data_bank_reads",
        "sm__inst_executed_pipe_lsu", "sm__inst_executed_pipe_xu"}) {
    SetUse(&kernel, unit, 0.1);
  }
  KernelReport few_warps = kernel;  // a chain of loads of one warp: the queue is not full
  SetStall(&few_warps, "short_scoreboard", 40);
  CHECK(Decide(few_warps).actions.at(0).id == "more-shared-loads-in-flight");
  for (const double short_scoreboard : {0.0, 50.0}) {
    KernelReport waiting = kernel;
    SetStall(&waiting, "mio_throttle", 40);
    SetStall(&waiting, "short_scoreboard", short_scoreboard);
    CHECK(Decide(waiting).actions.at(0).id == "uniform-constants");
    SetUse(&waiting, "sm__inst_executed_pipe_lsu", 2);  // shuffles
    CHECK(Decide(waiting).actions.at(0).id != "uniform-constants");
  }
  SetStall(&kernel, "imc_miss", 40);  // operands of instructions: the same for all lanes
  CHECK(Decide(kernel).actions.at(0).id == "fewer-cold-constants");
}

TEST_CASE("Warps at a barrier that wait for one that sleeps are told so first") {
  KernelReport kernel = QuietKernel();
  SetStall(&kernel, "barrier", 40);
  CHECK(Decide(kernel).actions.at(0).id == "balance-barriers");
  SetStall(&kernel, "sleeping", 10);
  const Verdict verdict = Decide(kernel);
  REQUIRE(verdict.actions.size() == 2);
  CHECK(verdict.actions[0].id == "sleep-less");
  CHECK(verdict.actions[1].id == "balance-barriers");
}

TEST_CASE("A kernel of 3 us is launch-sized although no unit was measured") {
  KernelReport kernel = QuietKernel();
  kernel.metrics.clear();
  kernel.duration_ns = {20, 3000, 2900, 3100, 60e3};
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kLaunchSized);
  CHECK(verdict.decided);
  CHECK(verdict.source == Source::kNone);
  CHECK(verdict.confidence == Confidence::kHigh);
  kernel.duration_ns = {2, 4500, 4400, 4600, 9e3};
  CHECK(Doubts(Decide(kernel)) == std::vector<std::string>{"near-rival", "few-samples"});

  kernel.whole_graph = true;  // many kernels: none of them may be short
  CHECK(Decide(kernel).limiter == Limiter::kNotMeasured);
}

TEST_CASE("A short kernel is merged with its neighbours, in a graph by other means") {
  KernelReport kernel = QuietKernel();
  kernel.duration_ns = {20, 3000, 2900, 3100, 60e3};
  CHECK(Decide(kernel).actions.at(0).id == "merge-launches");
  kernel.in_graph = true;
  CHECK(Decide(kernel).actions.at(0).id == "merge-graph-nodes");
}

TEST_CASE("Nobody is told to count a kernel that is never counted") {
  for (const char* name : {"DelayKernel", "saxpy"}) {
    KernelReport kernel = QuietKernel();
    kernel.metrics.clear();
    kernel.full_name = name;
    const Verdict verdict = Decide(kernel);
    CHECK(verdict.limiter == Limiter::kNotMeasured);
    const bool counted = verdict.missing.find("--counters") != std::string::npos;
    CHECK(counted == (kernel.full_name == "saxpy"));
  }
}

TEST_CASE("A kernel of 3 us is launch-sized for certain, and its busy unit is named") {
  KernelReport kernel = QuietKernel();
  kernel.duration_ns = {20, 3000, 2900, 3100, 60e3};
  SetUse(&kernel, "gpu__dram_throughput", 82);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kLaunchSized);
  CHECK(verdict.confidence == Confidence::kHigh);
  CHECK(verdict.summary.find("DRAM 82.0 %") != std::string::npos);
  CHECK(Mentions(verdict.evidence, "timeline; median of 20"));

  kernel.duration_ns.median = 6000;
  CHECK(Decide(kernel).limiter == Limiter::kDram);
}

TEST_CASE("Sixteen blocks on 132 SMs are a small grid, whatever the top stall is") {
  KernelReport kernel = QuietKernel();
  SetGrid(&kernel, 16, 8);
  SetUse(&kernel, "sm__pipe_fma_cycles_active", 12);
  SetStall(&kernel, "long_scoreboard", 50);
  Set(&kernel, "sm__cycles_active.avg", 12'000);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kSmallGrid);
  CHECK(verdict.rule == "small-grid");
  CHECK(verdict.gain_at_most == Approx(0.88));
  CHECK(Mentions(verdict.evidence, "grid of 16 blocks on 132 SMs"));
}

TEST_CASE(
    "A small grid is the cause with stalls that were read as without, also if it frees less") {
  KernelReport kernel = QuietKernel();
  SetGrid(&kernel, 88, 1);  // a third of the SMs has none
  SetUse(&kernel, "gpu__dram_throughput", 20);
  SetStall(&kernel, "long_scoreboard", 50);
  Set(&kernel, "sm__cycles_active.avg", 65'000);
  Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "small-grid");
  CHECK(verdict.runner_up.rfind("long_scoreboard stall 9", 0) == 0);
  for (const uint32_t blocks : {115U, 125U}) {  // most have one
    SetGrid(&kernel, blocks, 1);
    CHECK(Decide(kernel).rule == "latency-stall");
  }
}

TEST_CASE("A persistent kernel of one block per SM is not a small grid") {
  KernelReport kernel = QuietKernel();
  SetGrid(&kernel, 132, 1);
  SetUse(&kernel, "sm__pipe_tensor_cycles_active", 45);
  SetStall(&kernel, "gmma", 30);
  CHECK(Decide(kernel).limiter != Limiter::kSmallGrid);
  SetGrid(&kernel, 128, 1);  // as some libraries launch them
  CHECK(Decide(kernel).limiter != Limiter::kSmallGrid);
}

TEST_CASE("A small grid that keeps a unit busy all the same is not called small") {
  KernelReport kernel = QuietKernel();
  SetGrid(&kernel, 100, 1);
  SetUse(&kernel, "gpu__dram_throughput", 84);
  CHECK(Decide(kernel).limiter == Limiter::kDram);
}

TEST_CASE("Without the device's limits no rule about the grid fires") {
  KernelReport kernel = QuietKernel();
  SetGrid(&kernel, 16, 8);
  kernel.occupancy = {};
  CHECK(analyzer::DecideKernel(kernel, nullptr).limiter == Limiter::kUnknown);
}

TEST_CASE("A grid that covers all SMs with part of a wave is named when no stall is") {
  KernelReport kernel = QuietKernel();
  SetGrid(&kernel, 264, 8);
  Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kLatency);
  CHECK(verdict.rule == "partial-wave");
  CHECK(verdict.confidence == Confidence::kMedium);
  CHECK(Doubts(verdict).front() == "few-warps");

  SetStall(&kernel, "long_scoreboard", 30);
  verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kLatency);
  CHECK(HasNote(verdict, "partial-wave"));
}

TEST_CASE("A grid that leaves a few block slots free on purpose has no note about its wave") {
  KernelReport kernel = QuietKernel();
  SetStall(&kernel, "long_scoreboard", 30);
  SetGrid(&kernel, 128, 1);  // of 132 SMs
  CHECK_FALSE(HasNote(Decide(kernel), "partial-wave"));
  SetGrid(&kernel, 120, 1);
  CHECK(HasNote(Decide(kernel), "partial-wave"));
}

TEST_CASE("A pointer chase is latency, waiting for memory") {
  KernelReport kernel = QuietKernel();
  kernel.block = {32, 1, 1};
  SetGrid(&kernel, 132, 32);
  kernel.occupancy.theoretical = 0.5;
  kernel.occupancy.achieved = 0.016;
  kernel.occupancy.limited_by = {"blocks"};
  SetStall(&kernel, "long_scoreboard", 600);
  Set(&kernel, "smsp__issue_active.avg.per_cycle_active", 0.01);
  Set(&kernel, "smsp__warps_eligible.avg.per_cycle_active", 0.01);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kLatency);
  CHECK(verdict.rule == "latency-stall");
  CHECK(verdict.stall == "long_scoreboard");
  CHECK(Mentions(verdict.evidence, "global or local memory"));
  // Atomics on one address wait in the same way: only the sectors show what it is.
  CHECK(verdict.confidence == Confidence::kLow);
  CHECK(Doubts(verdict) == std::vector<std::string>{"level-unknown"});
  CHECK(verdict.missing.find("atomics") != std::string::npos);
  Set(&kernel, "lts__t_sectors_lookup_hit.sum", 2e6);
  Set(&kernel, "lts__t_sectors_lookup_miss.sum", 23e6);
  CHECK(Decide(kernel).confidence == Confidence::kHigh);
}

TEST_CASE("A single dependent chain of FMAs is latency by `wait`, which is not __syncthreads") {
  KernelReport kernel = QuietKernel();
  kernel.block = {128, 1, 1};
  SetGrid(&kernel, 132 * 10, 1);
  kernel.occupancy.theoretical = 0.0625;
  kernel.occupancy.limited_by = {"shared memory"};
  SetUse(&kernel, "sm__pipe_fma_cycles_active", 25);
  Set(&kernel, "smsp__issue_active.avg.per_cycle_active", 0.25);
  SetStall(&kernel, "wait", 3);
  SetStall(&kernel, "selected", 1);
  SetStall(&kernel, "barrier", 0);
  SetStall(&kernel, "long_scoreboard", 0);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kLatency);
  CHECK(verdict.stall == "wait");
  CHECK(verdict.summary.find("syncthreads") == std::string::npos);
  CHECK(verdict.action.find("independent") != std::string::npos);
  // Index arithmetic may be on the FMA pipe, too, and goes with the loop.
  CHECK(verdict.gain_at_most == Approx(1 - 0.02 / 0.95));
}

TEST_CASE("Few warps that wait are told of more blocks as well, a full wave is not") {
  KernelReport kernel = QuietKernel();
  kernel.block = {128, 1, 1};
  SetGrid(&kernel, 132, 16);
  Set(&kernel, "sm__warps_active.avg.pct_of_peak_sustained_active", 6.25);
  for (const char* const reason : {"long_scoreboard", "short_scoreboard", "wait"}) {
    KernelReport waits = kernel;
    SetStall(&waits, reason, 40);
    CHECK(Offers(Decide(waits), "more-blocks"));
    SetGrid(&waits, 132 * 32, 16);
    CHECK_FALSE(Offers(Decide(waits), "more-blocks"));
  }
  SetStall(&kernel, "barrier", 40);
  CHECK_FALSE(Offers(Decide(kernel), "more-blocks"));
}

TEST_CASE("Warps at __syncthreads are latency by `barrier`") {
  KernelReport kernel = QuietKernel();
  SetStall(&kernel, "barrier", 12);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kLatency);
  CHECK(verdict.stall == "barrier");
  CHECK(verdict.summary.find("__syncthreads()") != std::string::npos);
}

TEST_CASE("Selected and not selected warps are no stall to fix") {
  KernelReport kernel = QuietKernel();
  SetStall(&kernel, "not_selected", 50);
  CHECK(Decide(kernel).limiter == Limiter::kUnknown);
}

TEST_CASE("Memory latency that registers keep from being hidden is occupancy") {
  KernelReport kernel = QuietKernel();
  kernel.registers_per_thread = 255;
  SetGrid(&kernel, 132 * 20, 1);
  kernel.occupancy.theoretical = 0.125;
  kernel.occupancy.achieved = 0.12;
  kernel.occupancy.limit_registers = 1;
  kernel.occupancy.limited_by = {"registers"};
  SetStall(&kernel, "long_scoreboard", 40);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kOccupancy);
  CHECK(verdict.rule == "occupancy-limited");
  CHECK(verdict.stall == "long_scoreboard");
  CHECK(verdict.action.find("registers") != std::string::npos);
  CHECK(Mentions(verdict.evidence, "255 per thread"));
  CHECK(verdict.gain_at_most <= 1 - 0.125);
}

TEST_CASE("Occupancy is not the answer when the grid has no more blocks to make resident") {
  KernelReport kernel = QuietKernel();
  SetGrid(&kernel, 132, 1);
  kernel.occupancy.theoretical = 0.125;
  kernel.occupancy.limited_by = {"shared memory"};
  SetStall(&kernel, "long_scoreboard", 40);
  CHECK(Decide(kernel).limiter == Limiter::kLatency);
}

TEST_CASE("Occupancy is not the answer when warps are eligible, or when it is high already") {
  KernelReport kernel = QuietKernel();
  kernel.occupancy.theoretical = 0.5;
  kernel.occupancy.limited_by = {"registers"};
  SetStall(&kernel, "long_scoreboard", 40);
  REQUIRE(Decide(kernel).limiter == Limiter::kOccupancy);
  Set(&kernel, "smsp__warps_eligible.avg.per_cycle_active", 2.5);
  CHECK(Decide(kernel).limiter == Limiter::kLatency);
  Set(&kernel, "smsp__warps_eligible.avg.per_cycle_active", 0.2);
  kernel.occupancy.theoretical = 0.9;
  CHECK(Decide(kernel).limiter == Limiter::kLatency);
}

TEST_CASE("A tensor kernel below its peak is latency, never occupancy") {
  KernelReport kernel = QuietKernel();
  kernel.occupancy.theoretical = 0.125;
  kernel.occupancy.limited_by = {"shared memory"};
  SetUse(&kernel, "sm__pipe_tensor_cycles_active", 40);
  SetStall(&kernel, "long_scoreboard", 40);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kLatency);
  CHECK(HasNote(verdict, "tensor-underused"));
}

// Without 8-way conflicts a kernel took 84 us instead of 520 (-84 %), at 68 % of mio_throttle: the
// waiting for other reasons went with it.
TEST_CASE("The share of a stall is no bound: what warps wait for otherwise may go with it") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "sm__pipe_alu_cycles_active", 12);
  SetStall(&kernel, "barrier", 2);  // 2 of 5 cycles
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.gain_at_most == Approx(0.88));  // the ALU
  CHECK(Mentions(verdict.evidence, "barrier 40.0 %"));
}

TEST_CASE("One wave and one block is a tail: half of the time is lost") {
  KernelReport kernel = QuietKernel();
  SetGrid(&kernel, 132 * 8 + 1, 8);
  SetUse(&kernel, "sm__pipe_fma_cycles_active", 49);
  Set(&kernel, "smsp__issue_active.avg.per_cycle_active", 0.97);
  Set(&kernel, "sm__cycles_active.avg", 52'000);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kTail);
  CHECK(verdict.rule == "tail");
  CHECK(verdict.gain_at_most == Approx(0.51));
  CHECK(Mentions(verdict.evidence, "1.00 waves"));
}

TEST_CASE("A grid of 30.1 waves has no tail worth naming") {
  KernelReport kernel = QuietKernel();
  SetGrid(&kernel, static_cast<uint32_t>(30.1 * 132 * 8), 8);
  Set(&kernel, "sm__cycles_active.avg", 90'000);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter != Limiter::kTail);
  CHECK_FALSE(HasNote(verdict, "tail"));
}

TEST_CASE("A partial last wave without idle SMs is no tail") {
  KernelReport kernel = QuietKernel();
  SetGrid(&kernel, 132 * 8 * 3 / 2, 8);  // 1.5 waves, but the SMs are evenly active
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter != Limiter::kTail);
  CHECK_FALSE(HasNote(verdict, "tail"));
  CHECK(HasNote(verdict, "half-empty-wave"));
  CHECK(Mentions(verdict.notes, "whole waves save 25.0 % at most"));
  KernelReport busy = kernel, alone = kernel;
  SetUse(&busy, "gpu__dram_throughput", 80);
  CHECK_FALSE(HasNote(Decide(busy), "half-empty-wave"));
  SetGrid(&alone, 132 * 3 / 2, 1);  // one block on an SM
  CHECK_FALSE(HasNote(Decide(alone), "half-empty-wave"));
}

TEST_CASE("Latency inside the blocks comes before a tail that explains little of it") {
  KernelReport kernel = QuietKernel();
  SetGrid(&kernel, 132 * 8 * 3 / 2, 8);
  Set(&kernel, "sm__cycles_active.avg", 75'000);
  SetStall(&kernel, "long_scoreboard", 60);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kLatency);
  CHECK(HasNote(verdict, "tail"));
}

TEST_CASE("Blocks of very different length idle the SMs: imbalance") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "sm__pipe_fma_cycles_active", 50);
  Set(&kernel, "smsp__issue_active.avg.per_cycle_active", 0.95);
  Set(&kernel, "sm__cycles_active.avg", 55'000);
  kernel.occupancy.achieved = 0.6;
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kTail);
  CHECK(verdict.rule == "imbalance");
  CHECK(verdict.gain_at_most == Approx(1 - 0.95 * 55 / 101));  // the warps in use

  kernel.occupancy.achieved = 0.97;
  CHECK(Decide(kernel).rule != "imbalance");
}

}  // namespace
}  // namespace prof::test::wait_verdict_test
