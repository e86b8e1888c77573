// SPDX-License-Identifier: Apache-2.0
//
// Causes against units: a counted waste wins where it frees more than the unit has left, and does
// not where it is beside the limit.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "lib/analyzer/rules/rule_actions.h"
#include "lib/analyzer/rules/verdict_rules.h"
#include "test/analyzer/rules/kernels.h"
#include "test/support/catch.h"

namespace prof::test::cause_test {
namespace {

std::optional<double> GainOf(const Verdict& verdict, std::string_view id) {
  for (const Action& action : verdict.actions) {
    if (action.id == id) return action.gain_at_most;
  }
  return std::nullopt;
}

void SetLoads(KernelReport* kernel, double sectors, double requests, double useful) {
  Set(kernel, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", sectors);
  Set(kernel, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", requests);
  Set(kernel, "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio", useful);
}

TEST_CASE("DRAM at its ceiling with an eighth of its bytes used is a matter of coalescing") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "gpu__dram_throughput", 93);
  SetUse(&kernel, "lts__t_sectors", 43);
  SetLoads(&kernel, 16e6, 0.5e6, 4);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "uncoalesced");
  CHECK(verdict.limiter == Limiter::kDram);
  CHECK(verdict.actions.front().id == "coalesce");
  CHECK(verdict.gain_at_most >= 0.875);  // what a packed layout would save
  CHECK(verdict.gain_at_most < 0.97);    // where each sector brought 128 bytes with it
}

TEST_CASE("Sectors that L1 serves several times are no waste below it") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "gpu__dram_throughput", 69);
  SetLoads(&kernel, 42e6, 2.6e6, 12.8);
  Set(&kernel, "l1tex__t_sector_hit_rate.pct", 73.8);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "dram-throughput");
  CHECK(HasNote(verdict, "uncoalesced"));
  Set(&kernel, "l1tex__t_sector_hit_rate.pct", 0);
  CHECK(Decide(kernel).rule == "uncoalesced");
}

TEST_CASE("A chain of pointers over single sectors waits: no layout helps") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "gpu__dram_throughput", 32);
  SetLoads(&kernel, 8e6, 0.26e6, 4);
  SetStall(&kernel, "long_scoreboard", 500);
  Set(&kernel, "lts__t_sectors_lookup_hit.sum", 2e6);
  Set(&kernel, "lts__t_sectors_lookup_miss.sum", 23e6);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "latency-stall");
  CHECK(verdict.actions.front().id == "more-loads-in-flight");
  CHECK(verdict.summary.find("DRAM has the data") != std::string::npos);
}

TEST_CASE("Scattered loads that keep DRAM half busy are a matter of coalescing") {
  KernelReport kernel = QuietKernel();  // gather_dram of the zoo
  SetUse(&kernel, "gpu__dram_throughput", 57);
  SetUse(&kernel, "lts__t_sectors", 20);
  SetLoads(&kernel, 21.6e6, 0.68e6, 4);
  SetStall(&kernel, "long_scoreboard", 336);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "uncoalesced");
  CHECK(verdict.actions.front().id == "coalesce");
}

TEST_CASE("What L2 exchanges with DRAM is not moved by TMA") {
  KernelReport kernel = QuietKernel();  // strided_far of the zoo
  SetUse(&kernel, "gpu__dram_throughput", 83);
  SetLoads(&kernel, 21.6e6, 0.68e6, 4);
  Set(&kernel, "lts__t_sectors.sum", 43.3e6);
  CHECK(Decide(kernel).rule == "dram-throughput");
  Set(&kernel, "dram__bytes_read.sum", 1383e6);
  Set(&kernel, "dram__bytes_write.sum", 0.1e6);
  CHECK(Decide(kernel).rule == "uncoalesced");
  Set(&kernel, "lts__t_sectors.sum", 90e6);
  CHECK(Decide(kernel).rule == "dram-throughput");
}

TEST_CASE("A unit beside which a likely waste was not looked for is named at medium confidence") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "gpu__dram_throughput", 93);
  Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kDram);
  CHECK(verdict.confidence == Confidence::kMedium);
  CHECK(Offers(verdict, "coalesce"));
  SetLoads(&kernel, 16e6, 1e6, 32);
  verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kDram);
  CHECK(verdict.confidence == Confidence::kHigh);
}

TEST_CASE("What a load waits for is L2 or L1 where that has the data, with another action") {
  KernelReport kernel = QuietKernel();
  SetStall(&kernel, "long_scoreboard", 60);
  Set(&kernel, "lts__t_sectors_lookup_hit.sum", 95);
  Set(&kernel, "lts__t_sectors_lookup_miss.sum", 5);
  CHECK(Decide(kernel).actions.front().id == "keep-data-closer");
  Set(&kernel, "l1tex__t_sector_hit_rate.pct", 90);
  CHECK(Decide(kernel).actions.front().id == "independent-loads");
}

TEST_CASE("Reductions on one address are atomics, not loads to have in flight") {
  KernelReport kernel = QuietKernel();
  SetStall(&kernel, "long_scoreboard", 60);
  Set(&kernel, "lts__t_sectors.sum", 822e3);
  Set(&kernel, "lts__t_sectors_op_red.sum", 811e3);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "atomics");
  CHECK(verdict.actions.front().id == "aggregate-atomics");
  CHECK_FALSE(Offers(verdict, "more-loads-in-flight"));
}

TEST_CASE("A wait that no load takes is not answered with more loads") {
  KernelReport kernel = QuietKernel();
  SetStall(&kernel, "long_scoreboard", 28'600);
  CHECK(Decide(kernel).actions.front().id == "read-sectors");
  SetStall(&kernel, "long_scoreboard", 540);
  CHECK(Decide(kernel).actions.front().id == "more-loads-in-flight");
}

TEST_CASE("Without counted atomics the use of L2's atomic unit shows them") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "lts__t_sectors", 55);
  SetUse(&kernel, "lts__d_atomic_input_cycles_active", 47);
  SetStall(&kernel, "lg_throttle", 60);
  CHECK(Decide(kernel).rule == "atomics");
  SetUse(&kernel, "lts__d_atomic_input_cycles_active", 5);
  CHECK(Decide(kernel).rule == "latency-stall");
}

TEST_CASE("Local memory that keeps L2 and DRAM busy is spilled registers, not two units") {
  KernelReport kernel = QuietKernel();
  kernel.local_bytes_per_thread = 256;
  SetUse(&kernel, "lts__t_sectors", 68);
  SetUse(&kernel, "gpu__dram_throughput", 61);
  Set(&kernel, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 7.9e8);
  Set(&kernel, "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", 7.6e8);
  for (const char* op : {"ld", "st"}) {
    Set(&kernel, std::string("l1tex__t_sectors_pipe_lsu_mem_global_op_") + op + ".sum", 1e3);
  }
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "spills");
  CHECK(verdict.limiter == Limiter::kL2);
  CHECK(verdict.gain_at_most == Approx(0.98));  // the 2 % of the tensor pipe remain
}

TEST_CASE("Where nobody asked how much local memory a kernel has, its traffic decides alone") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "lts__t_sectors", 68);
  SetUse(&kernel, "gpu__dram_throughput", 61);
  for (const char* op : {"ld", "st"}) {
    Set(&kernel, std::string("l1tex__t_sectors_pipe_lsu_mem_local_op_") + op + ".sum", 7.6e8);
    Set(&kernel, std::string("l1tex__t_sectors_pipe_lsu_mem_global_op_") + op + ".sum", 1e3);
  }
  CHECK(Decide(kernel).rule != "spills");  // it is known to have none
  kernel.local_known = false;
  CHECK(Decide(kernel).rule == "spills");
}

TEST_CASE(
    "Local memory that misses L1 more often than the rest is all of the traffic below at most") {
  KernelReport kernel = QuietKernel();
  kernel.local_bytes_per_thread = 256;
  SetUse(&kernel, "gpu__dram_throughput", 90);
  Set(&kernel, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 1e6);
  Set(&kernel, "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", 1e6);
  Set(&kernel, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 3e6);
  Set(&kernel, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 3e6);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "spills");
  CHECK(GainOf(verdict, "remove-spills") == Approx(0.98));  // not 1 - 0.9 x 0.75 / 0.95
  // Stores that nobody counted are not known to be none.
  Remove(&kernel, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum");
  CHECK(Decide(kernel).rule == "dram-throughput");
  CHECK_FALSE(GainOf(Decide(kernel), "remove-spills"));
}

TEST_CASE("Local memory whose traffic was not counted is named, without a bound") {
  KernelReport kernel = QuietKernel();
  kernel.local_bytes_per_thread = 256;
  SetUse(&kernel, "lts__t_sectors", 85);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "l2-throughput");
  REQUIRE(Offers(verdict, "remove-spills"));
  CHECK_FALSE(GainOf(verdict, "remove-spills"));
  CHECK_FALSE(verdict.actions.back().check.empty());
}

TEST_CASE("Conflicts of a GEMM's epilogue are few among the wavefronts that wgmma reads") {
  KernelReport kernel = QuietKernel();
  kernel.dynamic_shared_bytes = 200'000;
  SetUse(&kernel, "sm__pipe_tensor_cycles_active", 89);
  SetUse(&kernel, "l1tex__data_pipe_lsu_wavefronts", 69);
  SetUse(&kernel, "l1tex__data_pipe_lsu_wavefronts_mem_shared", 69);
  Set(&kernel, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", 134e3);
  Set(&kernel, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", 644e3);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "tensor-throughput");
  CHECK_FALSE(HasNote(verdict, "bank-conflicts"));
  CHECK_FALSE(Offers(verdict, "remove-bank-conflicts"));
}

TEST_CASE("Eight wavefronts for a request are conflicts although nobody counted them") {
  KernelReport kernel = QuietKernel();
  kernel.static_shared_bytes = 32768;
  SetUse(&kernel, "l1tex__data_pipe_lsu_wavefronts", 99.8);
  SetUse(&kernel, "l1tex__data_pipe_lsu_wavefronts_mem_shared", 0);
  Remove(&kernel, "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed");
  SetUse(&kernel, "l1tex__lsuin_requests", 12.6);
  SetStall(&kernel, "mio_throttle", 30);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "shared-bank-conflicts");
  CHECK(verdict.confidence <= Confidence::kMedium);
  CHECK(verdict.gain_at_most >= 0.838);  // measured without the conflicts
  CHECK_FALSE(verdict.missing.empty());
}

TEST_CASE(
    "Shared memory that stays busy without its conflicts may have too many accesses as well") {
  const auto offers_fewer = [](double conflicts) {
    KernelReport kernel = QuietKernel();
    kernel.static_shared_bytes = 32768;
    SetUse(&kernel, "l1tex__data_pipe_lsu_wavefronts", 95);
    SetUse(&kernel, "l1tex__data_pipe_lsu_wavefronts_mem_shared", 95);
    const double wavefronts = 0.95 * 101'000 * 132;
    for (const char* const op : {"ld", "st"}) {
      const std::string suffix = std::string("_mem_shared_op_") + op + ".sum";
      Set(&kernel, "l1tex__data_bank_conflicts_pipe_lsu" + suffix, conflicts * wavefronts / 2);
      Set(&kernel, "l1tex__data_pipe_lsu_wavefronts" + suffix, wavefronts / 2);
    }
    const Verdict verdict = Decide(kernel);
    CHECK(verdict.rule == "shared-bank-conflicts");
    CHECK(Offers(verdict, "remove-bank-conflicts"));
    return Offers(verdict, "fewer-shared-accesses");
  };
  CHECK(offers_fewer(0.2));
  CHECK_FALSE(offers_fewer(0.7));
}

TEST_CASE("A pipe at its limit while the SMs are active has its tail to blame, at any use") {
  KernelReport kernel = QuietKernel();
  SetGrid(&kernel, 132 * 8 * 13 / 10, 8);  // 1.3 waves: 35 % of the slots stay empty
  SetUse(&kernel, "sm__pipe_fma_cycles_active", 62);
  Set(&kernel, "sm__cycles_active.avg", 65'000);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "tail");
  CHECK(verdict.actions.front().id == "whole-waves");
  CHECK(verdict.gain_at_most == Approx(0.38));  // what the pipe leaves; 0.35 where blocks are alike
  CHECK(verdict.runner_up.find("FMA") != std::string::npos);
}

TEST_CASE("96 blocks of a matrix kernel on 132 SMs leave more idle than the pipe does") {
  KernelReport kernel = QuietKernel();
  SetGrid(&kernel, 96, 1);
  SetUse(&kernel, "sm__pipe_tensor_cycles_active", 64);
  Set(&kernel, "sm__cycles_active.avg", 72'000);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "small-grid");
  CHECK(GainOf(verdict, "more-blocks") == Approx(1 - 0.95 * 72 / 101));  // the warps in use
}

TEST_CASE("Weights that 96 SMs read below DRAM's limit need more blocks first, at it they do not") {
  KernelReport kernel = QuietKernel();
  SetGrid(&kernel, 96, 1);
  SetUse(&kernel, "gpu__dram_throughput", 75);
  Set(&kernel, "sm__cycles_active.avg", 60'000);
  const Verdict below = Decide(kernel);
  CHECK(below.limiter == Limiter::kDram);
  CHECK(below.actions.front().id == "more-blocks");
  CHECK(Mentions(below.evidence, "of the SMs without work"));
  SetUse(&kernel, "gpu__dram_throughput", 85);
  const Verdict at_limit = Decide(kernel);
  CHECK(at_limit.rule == "dram-throughput");
  CHECK_FALSE(Offers(at_limit, "more-blocks"));
  SetUse(&kernel, "gpu__dram_throughput", 45);
  CHECK(Decide(kernel).rule == "small-grid");
}

TEST_CASE("One lane in four on a busy pipe is divergence, with three quarters of it to save") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "sm__pipe_alu_cycles_active", 88);
  SetUse(&kernel, "sm__issue_active", 70);
  Set(&kernel, "smsp__thread_inst_executed_per_inst_executed.ratio", 8);
  Set(&kernel, "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", 8);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "divergence");
  CHECK(verdict.limiter == Limiter::kAlu);
  CHECK(verdict.gain_at_most == Approx(1 - 0.70 / 4));  // the issue slots; the ALU may have fewer
}

TEST_CASE("Packed half precision on the FMA pipe is no matrix work, though counted as such") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "sm__pipe_fma_cycles_active", 87.78);
  SetUse(&kernel, "sm__pipe_tensor_cycles_active", 87.79);
  Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kFma);
  CHECK(Offers(verdict, "fewer-half-fma"));
  CHECK_FALSE(Offers(verdict, "smaller-type"));
  // The counters of matrix instructions decide where they were read.
  SetUse(&kernel, "sm__pipe_tensor_type_hmma_hgmma_qgmma_imma_igmma_bmma_bgmma_cycles_active", 88);
  SetUse(&kernel, "sm__pipe_tensor_op_dmma_cycles_active", 0);
  SetUse(&kernel, "sm__pipe_tensor_cycles_active", 88);
  CHECK(Decide(kernel).limiter == Limiter::kTensor);
}

TEST_CASE("Zero-copy reads wait for the link to the host") {
  KernelReport kernel = QuietKernel();
  SetStall(&kernel, "long_scoreboard", 300);
  SetUse(&kernel, "lts__d_sectors_fill_sysmem", 1.0);
  SetUse(&kernel, "lts__d_sectors_fill_device", 0.01);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "host-memory");
  CHECK(verdict.actions.front().id == "move-to-device");
}

// As 17.3 MB that go to pinned host memory in 328 us, over PCIe 5.0 x16.
KernelReport OnlyStores() {
  KernelReport kernel = QuietKernel();
  kernel.duration_ns = {20, 328e3, 327e3, 329e3, 20 * 328e3};
  SetStall(&kernel, "long_scoreboard", 800);
  SetLoads(&kernel, 0, 0, 0);
  Set(&kernel, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 540'672);
  Set(&kernel, "lts__t_sectors_op_atom.sum", 0);
  Set(&kernel, "lts__t_sectors_op_red.sum", 0);
  Set(&kernel, "lts__t_sectors_lookup_hit.sum", 838'000);
  Set(&kernel, "lts__t_sectors_lookup_miss.sum", 75);
  for (const char* unit : {"gpu__dram_throughput", "lts__lts2xbar_cycles_active"}) {
    SetUse(&kernel, unit, 0);
  }
  SetUse(&kernel, "lts__t_sectors", 1.5);
  return kernel;
}

TEST_CASE("Stores at the rate of the link, beside idle memory, are suspected to go to the host") {
  const Verdict verdict = Decide(OnlyStores());
  CHECK(verdict.rule == "host-memory");
  CHECK(verdict.confidence == Confidence::kLow);
  REQUIRE(verdict.actions.size() == 1);
  CHECK(verdict.actions[0].id == "move-to-device");
  CHECK_FALSE(verdict.actions[0].gain_at_most);
  CHECK(verdict.summary.find("52.7 GB/s") != std::string::npos);
  CHECK_FALSE(verdict.missing.empty());
}

TEST_CASE("Stores that are slower or faster than the link, or beside loads, are not suspected") {
  KernelReport slow = OnlyStores();
  Set(&slow, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 200'000);
  CHECK(Decide(slow).rule == "latency-stall");
  KernelReport fast = OnlyStores();
  Set(&fast, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 900'000);
  CHECK(Decide(fast).rule == "latency-stall");
  KernelReport loads = OnlyStores();
  SetLoads(&loads, 4096, 1024, 32);
  CHECK(Decide(loads).rule == "latency-stall");
  KernelReport atomics = OnlyStores();
  Set(&atomics, "lts__t_sectors_op_red.sum", 100);
  CHECK(Decide(atomics).rule != "host-memory");
}

TEST_CASE("A kernel that requests no loads is not told that its loads wait") {
  KernelReport kernel = OnlyStores();
  Set(&kernel, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 900'000);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.summary.find("has the data") == std::string::npos);
  CHECK(verdict.summary.find("requests no loads") != std::string::npos);
  CHECK_FALSE(Offers(verdict, "keep-data-closer"));
  CHECK(Offers(verdict, "read-pc-samples"));
}

TEST_CASE("A unit beside a tail is not of high confidence") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "sm__pipe_fma_cycles_active", 76);  // 82 % while the SMs were active
  Set(&kernel, "sm__cycles_active.avg", 90'000);
  Set(&kernel, "sm__cycles_active.max", 90'000);
  CHECK(Decide(kernel).confidence == Confidence::kHigh);
  SetGrid(&kernel, 132 * 8 + 132, 8);  // 1.125 waves
  Set(&kernel, "sm__cycles_active.max", 100'000);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "fma-throughput");
  CHECK(verdict.confidence == Confidence::kMedium);
}

TEST_CASE(
    "A unit beside a partial last wave whose tail was not measured is not of high confidence") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "sm__pipe_fma_cycles_active", 92);
  SetGrid(&kernel, 132 * 8 + 132, 8);  // 1.125 waves
  CHECK(Decide(kernel).confidence == Confidence::kHigh);
  Remove(&kernel, "sm__cycles_active.avg");
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "fma-throughput");
  CHECK(verdict.confidence == Confidence::kMedium);
  CHECK(verdict.missing.find("the activity of the SMs") == 0);
}

TEST_CASE("The next unit is the busiest other one, and a consequence is called one") {
  KernelReport kernel = QuietKernel();
  SetUse(&kernel, "sm__issue_active", 94);
  SetUse(&kernel, "l1tex__data_pipe_lsu_wavefronts", 78);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kIssue);
  CHECK(verdict.runner_up.find("L1 data path 78.0 %") == 0);
  CHECK(verdict.runner_up.find("a consequence of") != std::string::npos);
}

TEST_CASE("Every action of a verdict is in the table, with its bound or the reason for none") {
  for (const analyzer::ActionRow& row : analyzer::ActionRows()) {
    CAPTURE(row.id);
    CHECK_FALSE(row.what.empty());
    CHECK_FALSE(row.bound.empty());
    const Action action = analyzer::MakeAction(row.id, {2.0, "too much"});
    CHECK(action.what == row.what);
    CHECK(action.gain_at_most == 1);
  }
}

}  // namespace
}  // namespace prof::test::cause_test
