// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/explain.h"

#include <string>
#include <vector>

#include "lib/text/strings.h"
#include "prof/analyzer.h"
#include "prof/snapshot.h"
#include "test/compare/runs.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::explain_test {
namespace {

using test::Contains;
using test::Kernel;
using test::Run;
using test::With;

std::vector<Report> Side(const KernelReport& kernel, double factor, uint32_t pid) {
  std::vector<Report> runs;
  for (double time_ns : test::Around(100e3 * factor)) {
    KernelReport one = kernel;
    one.duration_ns = test::Median(time_ns);
    runs.push_back(Run({one}, pid++));
  }
  return runs;
}

std::string Explanation(const KernelReport& before, const KernelReport& after,
                        double time_ratio = 1.2) {
  const Comparison comparison = Compare(Side(before, 1, 1), Side(after, time_ratio, 100));
  REQUIRE(comparison.kernels.size() == 1);
  return text::Join(comparison.kernels[0].explanation, "\n");
}

TEST_CASE("More sectors for the same requests are less coalesced loads") {
  const KernelReport base = With(Kernel("k", 1), test::kLoadRequests, 1000);
  CHECK_THAT(
      Explanation(With(base, test::kLoadSectors, 4000), With(base, test::kLoadSectors, 16000)),
      Contains("global loads touch 16.0 sectors a request, before 4.0: they are less "
               "coalesced") &&
          Contains("sectors of global loads: 4,000 -> 16,000 (4.00 times)"));
}

TEST_CASE("More instructions, spilled registers and more bytes of DRAM are named") {
  KernelReport before = With(Kernel("k", 1), test::kInstructions, 1e6);
  KernelReport after = With(Kernel("k", 1), test::kInstructions, 1.5e6);
  after.local_bytes_per_thread = 64;
  before = With(With(before, test::kLoadSectors, 4000), test::kDramRead, 1e9);
  after = With(With(after, test::kLoadSectors, 4000), test::kDramRead, 2e9);
  CHECK_THAT(Explanation(before, after),
             Contains("it does more work: 1.50 times the instructions") &&
                 Contains("it executes 1.50 times the instructions") &&
                 Contains("64 bytes of local memory for each thread, before 0") &&
                 Contains("2.00 times the bytes come from DRAM: the caches hit less"));
}

TEST_CASE("The same work in more cycles waits more, and the longest wait is named") {
  const std::string stall =
      "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio";
  const auto with = [&](double cycles, double waiting) {
    return With(With(With(Kernel("k", 1), test::kInstructions, 1e6), test::kCycles, cycles), stall,
                waiting);
  };
  CHECK_THAT(Explanation(with(100e3, 2), with(120e3, 5)),
             Contains("the work is the same by all exact counters, in 1.200 times the cycles") &&
                 Contains("the wait that grew most is long_scoreboard: 2.00 -> 5.00"));
  CHECK_THAT(Explanation(with(100e3, 2), with(100e3, 2)), Contains("the clock differs"));
}

// A kernel of 1,000,000 instructions and 100,000 cycles, each times a factor.
KernelReport Counted(double instructions, double cycles) {
  return With(With(Kernel("k", 1), test::kInstructions, instructions * 1e6), test::kCycles,
              cycles * 1e5);
}

TEST_CASE("Work that moved a little, or the other way, does not hide the clock") {
  const std::string little = Explanation(Counted(1, 1), Counted(0.998, 1.008), 1.18);
  CHECK_THAT(little, Contains("it takes 1.180 times the time, in 1.008 times the cycles: the clock "
                              "differs") &&
                         !Contains("it executes") &&
                         Contains("instructions: 1,000,000 -> 998,000 (0.998 times)"));
  const std::string less = Explanation(Counted(1, 1), Counted(0.96, 1.002), 1.048);
  CHECK_THAT(less, Contains("in 1.002 times the cycles: the clock differs") &&
                       !Contains("it executes") && Contains("(0.96 times)"));
}

TEST_CASE("Work that is a part of the change of the cycles is named as a cause") {
  CHECK_THAT(Explanation(Counted(1, 1), Counted(1.2, 1.2)),
             Contains("it executes 1.20 times the instructions") && !Contains("clock"));
  CHECK_THAT(Explanation(Counted(1, 1), Counted(1.03, 1.03), 1.2),
             Contains("it executes 1.03 times the instructions") &&
                 Contains("in 1.030 times the cycles: the clock differs, too"));
  CHECK_THAT(Explanation(Counted(1, 1), Counted(0.8, 0.8), 0.8),
             Contains("it executes 0.80 times the instructions"));
  // Ten percent of the change is enough, nine are not.
  CHECK_THAT(Explanation(Counted(1, 1), Counted(1.0185, 1.2)), Contains("it executes"));
  CHECK_THAT(Explanation(Counted(1, 1), Counted(1.0165, 1.2)), !Contains("it executes"));
}

TEST_CASE("Other work comes first in the explanation, also where the clock is the cause") {
  const std::string explanation = Explanation(Counted(1, 1), Counted(1.1, 1.002), 1.18);
  CHECK_THAT(explanation, Contains("the clock differs") && !Contains("it executes"));
  CHECK(explanation.find("it does more work: 1.10 times the instructions") == 0);
  CHECK_THAT(Explanation(Counted(1, 1), Counted(1.01, 1.2)), !Contains("it does"));
}

TEST_CASE("Where the time did not move, more work is named all the same, and little work is not") {
  CHECK_THAT(Explanation(Counted(1, 1), Counted(1.5, 1), 1.0),
             Contains("it executes 1.50 times the instructions"));
  CHECK_THAT(Explanation(Counted(1, 1), Counted(1.005, 1), 1.0), !Contains("it executes"));
}

TEST_CASE("Coalescing, spills and caches that moved against the time are no causes") {
  const auto with = [](double sectors, double bytes) {
    return With(With(With(Kernel("k", 1), test::kLoadRequests, 1000), test::kLoadSectors, sectors),
                test::kDramRead, bytes);
  };
  KernelReport spilled = with(8000, 1e5);
  spilled.local_bytes_per_thread = 64;
  const std::string faster = Explanation(with(4000, 1e5), spilled, 0.8);
  CHECK_THAT(faster, !Contains("coalesced") && !Contains("spilled") &&
                         Contains("sectors of global loads: 4,000 -> 8,000 (2.00 times)"));
  CHECK_THAT(Explanation(with(4000, 1e5), with(4000, 2e5), 0.8), !Contains("caches hit"));
}

TEST_CASE("What a counter takes decides whether it is named, not how many times it is as much") {
  const auto with = [](double tensor, double dram, double l2, double conflicts) {
    KernelReport kernel = With(Kernel("k", 1), test::kInstructions, 1e6);
    kernel =
        With(kernel, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", tensor);
    kernel = With(kernel, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", dram);
    kernel = With(kernel, "lts__t_sectors.sum", l2);
    return With(kernel, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", conflicts);
  };
  // A unit that both sides hardly use, and some hundred conflicts among a million instructions.
  const std::string small = Explanation(with(2.1, 10.5, 1e5, 30), with(5.2, 4.8, 1.7e5, 900));
  CHECK_THAT(small, !Contains("tensor cores") && !Contains("use of DRAM") &&
                        !Contains("bank conflicts") && Contains("L2 sectors: 100,000 -> 170,000"));
  // Both take much: what the kernel does comes before what a unit is used for.
  const std::string much = Explanation(with(60, 70, 1e5, 30), with(30, 40, 1e5, 2e5));
  const size_t conflicts = much.find("bank conflicts of shared loads: 30 -> 200,000");
  REQUIRE(conflicts != std::string::npos);
  CHECK(conflicts < much.find("use of the tensor cores: 60.0 % -> 30.0 %"));
}

TEST_CASE("Work that is next to nothing of all is no other work, and hides no wait") {
  const std::string stall =
      "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio";
  const auto with = [&](double operations, double cycles, double waiting) {
    const KernelReport kernel =
        With(Counted(1, cycles), "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", operations);
    return With(kernel, stall, waiting);
  };
  // 1,000 of 32,000,000 operations of threads; more of them, and less.
  for (const double operations : {2'000.0, 500.0}) {
    CHECK_THAT(Explanation(with(1'000, 1, 2), with(operations, 1.3, 5), 1.3),
               Contains("the work is the same by all exact counters, in 1.300 times the cycles") &&
                   Contains("the wait that grew most is long_scoreboard"));
  }
}

TEST_CASE("Occupancy is named however low it is") {
  const auto with = [](double occupancy) {
    return With(Kernel("k", 1), "sm__warps_active.avg.pct_of_peak_sustained_active", occupancy);
  };
  CHECK_THAT(Explanation(with(18), with(6)), Contains("achieved occupancy: 18.0 % -> 6.0 %"));
}

TEST_CASE("What differs in the launches is one sentence") {
  KernelReport before = Kernel("k", 1), after = Kernel("k", 1);
  before.registers_per_thread = 32;
  after.registers_per_thread = 64;
  after.static_shared_bytes = before.static_shared_bytes + 4096;
  CHECK_THAT(Explanation(before, after),
             Contains("its launches differ: registers per thread: 32 -> 64 (2.00 times), shared "
                      "bytes per block: "));
}

TEST_CASE("A wait that grew by a small part of what the cycles did is not named") {
  const auto with = [](double cycles, double gmma, double barrier) {
    const std::string start = "smsp__average_warps_issue_stalled_";
    const std::string end = "_per_issue_active.ratio";
    return With(With(Counted(1, cycles), start + "gmma" + end, gmma), start + "barrier" + end,
                barrier);
  };
  CHECK_THAT(Explanation(with(1, 3.55, 6), with(1.007, 3.57, 6), 1.169),
             Contains("the clock differs") && !Contains("the wait"));
  CHECK_THAT(Explanation(with(1, 3.55, 6), with(1.2, 3.57, 6)), !Contains("the wait"));
  CHECK_THAT(Explanation(with(1, 3.55, 6), with(1.2, 3.57, 8)),
             Contains("the wait that grew most is barrier: 6.00 -> 8.00"));
}

TEST_CASE("A little work does not hide the wait") {
  const std::string stall = "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio";
  CHECK_THAT(Explanation(With(Counted(1, 1), stall, 2), With(Counted(0.998, 1.2), stall, 5)),
             Contains("the change of the work does not explain 1.200 times the cycles") &&
                 Contains("the wait that grew most is barrier: 2.00 -> 5.00"));
}

TEST_CASE("Cycles show the clock also without counters of the work") {
  CHECK_THAT(Explanation(With(Kernel("k", 1), test::kCycles, 1e5),
                         With(Kernel("k", 1), test::kCycles, 1.01e5)),
             Contains("in 1.010 times the cycles: the clock differs") &&
                 Contains("neither side has a counter of its work"));
}

TEST_CASE("Where no work was counted, the use of a unit and the cycles show how much it is") {
  constexpr char kIssue[] = "sm__issue_active.avg.pct_of_peak_sustained_elapsed";
  constexpr char kDram[] = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
  const auto of = [&](double issue, double dram, double cycles) {
    return With(With(With(Kernel("k", 1), kIssue, issue), kDram, dram), test::kCycles, cycles);
  };
  const std::string more = Explanation(of(60, 50, 1e5), of(66, 25, 2e5), 2);
  CHECK_THAT(more, Contains("it executes 2.20 times the instructions, by the use of the issue "
                            "slots and its cycles") &&
                       !Contains("through DRAM"));
  CHECK_THAT(Explanation(of(30, 50, 1e5), of(15, 60, 2e5), 2),
             Contains("it moves 2.40 times the bytes through DRAM, by its use and the time"));
  // The same work in more cycles, and next to nothing on both sides.
  CHECK_THAT(Explanation(of(60, 10, 1e5), of(30, 10, 2e5), 2),
             !Contains("it executes") && !Contains("through DRAM"));
  // Counted work needs no guess.
  const std::string counted = Explanation(With(of(60, 50, 1e5), test::kInstructions, 1e6),
                                          With(of(66, 50, 2e5), test::kInstructions, 2.2e6), 2);
  CHECK_THAT(counted,
             Contains("it executes 2.20 times the instructions") && !Contains("by the use"));
}

TEST_CASE("Recorded kernels of another clock are explained by it, whatever else moved a little") {
  const Report before =
      Analyze(Snapshot::FromFile(PROF_TEST_DATA "/transformer_layer_version_1.prof"));
  const Report after = Analyze(Snapshot::FromFile(PROF_RECORDINGS "/transformer_layer_2048.prof"));
  const Comparison comparison = Compare({before}, {after});
  REQUIRE(comparison.kernels.size() == 10);
  for (const KernelChange& kernel : comparison.kernels) {
    INFO(kernel.name << " in " << kernel.range);
    const std::string explanation = text::Join(kernel.explanation, "\n");
    CHECK_THAT(explanation, Contains("the clock differs") && !Contains("it executes") &&
                                !Contains("the wait") && !Contains("1.00 times"));
  }
}

TEST_CASE("Times that were normalized between devices show no clock") {
  KernelReport kernel = Counted(1, 1);
  kernel.verdict.limiter = Limiter::kFma;
  kernel.verdict.decided = true;
  std::vector<Report> before = Side(kernel, 1, 1), after = Side(kernel, 1, 100);
  for (Report& report : before) report.devices[0].sm_clock_hz = test::Median(1.8e9);
  for (Report& report : after) {
    report.devices[0].name = "NVIDIA H100";
    report.devices[0].sm_count = 66;
    report.devices[0].sm_clock_hz = test::Median(1.8e9);
  }
  CompareOptions options;
  options.across = true;
  const Comparison comparison = Compare(before, after, options);
  REQUIRE(comparison.kernels.size() == 1);
  CHECK(comparison.kernels[0].time.ratio.value == Approx(0.5));
  CHECK_THAT(text::Join(comparison.kernels[0].explanation, "\n"), !Contains("clock"));
}

TEST_CASE("Without counters the side that lacks them is named, and the way to them") {
  const KernelReport none = Kernel("k", 1), some = With(none, test::kInstructions, 1e6);
  CHECK_THAT(Explanation(none, none), Contains("neither side has a counter of its work: record "
                                               "both with --counters all"));
  CHECK_THAT(Explanation(some, none), Contains("only the runs before have counters of its work: "
                                               "record the runs after with --counters all, too"));
  CHECK_THAT(Explanation(none, some), Contains("only the runs after have counters of its work: "
                                               "record the runs before with --counters all, too"));
  CHECK_THAT(Explanation(some, With(none, test::kLoadSectors, 4000)),
             Contains("no counter of its work in common"));
  CHECK_THAT(Explanation(some, some), !Contains("--counters all"));
}

}  // namespace
}  // namespace prof::explain_test
