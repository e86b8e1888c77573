// SPDX-License-Identifier: Apache-2.0
//
// Verdicts from PM samples: of every unit, with the source, and no further than the error bounds
// allow.
#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "lib/format/depth.h"
#include "lib/format/triage_metrics.h"
#include "test/analyzer/rules/kernels.h"
#include "test/analyzer/rules/pm_kernels.h"
#include "test/support/catch.h"

namespace prof::test::pm_verdict_test {
namespace {

using Catch::Contains;
using format::TriageUnit;

constexpr const char* kReads = "dramc__read_throughput.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kWrites = "dramc__write_throughput.avg.pct_of_peak_sustained_elapsed";

TEST_CASE("With wide bounds the tensor pipe and the FMA pipe are not taken for the same work") {
  KernelReport kernel = QuietByPmSamples();
  SetPm(&kernel, TriageUnit::kTensor, 65, 20);
  SetPm(&kernel, TriageUnit::kFma, 30, 16);
  CHECK(Decide(kernel).limiter == Limiter::kTensor);
  SetPm(&kernel, TriageUnit::kTensor, 65, 10);
  SetPm(&kernel, TriageUnit::kFma, 64, 10);
  CHECK(Decide(kernel).limiter == Limiter::kFma);  // packed half precision keeps both busy
}

TEST_CASE("A unit that PM samples show at its limit is the verdict, with its source") {
  KernelReport kernel = QuietByPmSamples();
  SetPm(&kernel, TriageUnit::kDram, 85.2, 0.8);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kDram);
  CHECK(verdict.rule == "dram-throughput");
  CHECK(verdict.confidence == Confidence::kMedium);  // nobody looked whether all bytes are used
  CHECK(verdict.source == Source::kPmSamples);
  CHECK_THAT(verdict.summary, Contains("DRAM at 85.2 +-0.8 % of its peak"));
  CHECK(Mentions(verdict.evidence,
                 "DRAM 85.2 +-0.8 % of peak (PM samples: 212 in 34 launches; FBSP.Triage"));
  CHECK(verdict.gain_at_most == Approx(1 - 0.844 / 0.95));  // the lower end of the bound
}

TEST_CASE("PM samples of DRAM's reads and writes choose the ceiling that was measured") {
  model::Device device = Gpu();
  device.peaks["dram__bytes.sum.peak_sustained"] = 1536;
  device.memory_clock_khz = 3'200'000;
  device.ceilings = {{"dram-read", 4.5e12, 5, 4.4e12, 4.6e12, 0},
                     {"dram-copy", 4.0e12, 5, 3.9e12, 4.1e12, 0}};
  KernelReport kernel = QuietByPmSamples();
  SetPm(&kernel, TriageUnit::kDram, 80);
  SetPm(&kernel, TriageUnit::kDramRead, 40);
  SetPm(&kernel, TriageUnit::kDramWrite, 40);
  CHECK(Mentions(Decide(kernel, device).evidence, "(measured: dram-copy, n=5)"));
  SetPm(&kernel, TriageUnit::kDramRead, 80);
  SetPm(&kernel, TriageUnit::kDramWrite, 0.1);
  CHECK(Mentions(Decide(kernel, device).evidence, "(measured: dram-read, n=5)"));
}

TEST_CASE("Every unit that PM samples read can be the verdict") {
  const auto [read, limiter, rule] =
      GENERATE(std::tuple(TriageUnit::kDram, Limiter::kDram, "dram-throughput"),
               std::tuple(TriageUnit::kL2, Limiter::kL2, "l2-throughput"),
               std::tuple(TriageUnit::kL1, Limiter::kL1, "l1-throughput"),
               std::tuple(TriageUnit::kL1Writeback, Limiter::kL1, "l1-throughput"),
               std::tuple(TriageUnit::kTensor, Limiter::kTensor, "tensor-throughput"),
               std::tuple(TriageUnit::kFma, Limiter::kFma, "fma-throughput"),
               std::tuple(TriageUnit::kFmaHeavy, Limiter::kFma, "fma-throughput"),
               std::tuple(TriageUnit::kAlu, Limiter::kAlu, "alu-throughput"),
               std::tuple(TriageUnit::kFp64, Limiter::kFp64, "fp64-throughput"),
               std::tuple(TriageUnit::kXu, Limiter::kSfu, "sfu-throughput"),
               std::tuple(TriageUnit::kIssue, Limiter::kIssue, "issue-throughput"));
  KernelReport kernel = QuietByPmSamples();
  SetPm(&kernel, read, 90);
  const Verdict verdict = Decide(kernel);
  CAPTURE(rule);
  CHECK(verdict.limiter == limiter);
  CHECK(verdict.rule == rule);
  const bool of_memory = format::KindOf(read) == format::UnitKind::kMemory;
  CHECK(verdict.confidence == (of_memory ? Confidence::kMedium : Confidence::kHigh));
}

TEST_CASE("Shared memory is told from L1 by its part of the wavefronts") {
  KernelReport kernel = QuietByPmSamples();
  SetPm(&kernel, TriageUnit::kL1, 95);
  SetPm(&kernel, TriageUnit::kShared, 90);
  CHECK(Decide(kernel).rule == "shared-throughput");
  SetPm(&kernel, TriageUnit::kShared, 10);
  CHECK(Decide(kernel).rule == "l1-throughput");
}

TEST_CASE("Of two units the uses decide, and bounds that are close are a doubt") {
  KernelReport kernel = QuietByPmSamples();
  SetPm(&kernel, TriageUnit::kDram, 76, 1);
  SetPm(&kernel, TriageUnit::kFma, 63, 1);
  const Verdict clear = Decide(kernel);
  CHECK(clear.limiter == Limiter::kDram);
  CHECK(Doubts(clear) == std::vector<std::string>{"below-80", "waste-unknown"});
  SetPm(&kernel, TriageUnit::kDram, 76, 4);
  const Verdict close = Decide(kernel);
  CHECK(close.limiter == Limiter::kDram);
  CHECK(Doubts(close) == std::vector<std::string>{"below-80", "near-rival", "waste-unknown"});
  SetPm(&kernel, TriageUnit::kDram, 72, 1);
  CHECK(Decide(kernel).limiter == Limiter::kMixed);
}

TEST_CASE("A verdict by a use with a wide error bound has low confidence") {
  KernelReport kernel = QuietByPmSamples();
  SetPm(&kernel, TriageUnit::kFma, 95, 9);
  CHECK(Decide(kernel).confidence == Confidence::kHigh);
  SetPm(&kernel, TriageUnit::kFma, 95, 14);
  const Verdict wide = Decide(kernel);
  CHECK(wide.limiter == Limiter::kFma);
  CHECK(Doubts(wide).front() == "wide-bound");
  CHECK(wide.confidence == Confidence::kLow);
  // Also that of a unit that is idle: no unit is said to be busy.
  SetPm(&kernel, TriageUnit::kFma, 20, 14);
  CHECK(Decide(kernel).confidence == Confidence::kLow);
}

TEST_CASE("Of the issue slots and a pipe the one that is busy leads") {
  KernelReport kernel = QuietByPmSamples();
  SetPm(&kernel, TriageUnit::kIssue, 71);
  SetPm(&kernel, TriageUnit::kAlu, 58);
  CHECK(Decide(kernel).limiter == Limiter::kIssue);
  SetPm(&kernel, TriageUnit::kAlu, 62);
  CHECK(Decide(kernel).limiter == Limiter::kAlu);
}

TEST_CASE("Issue slots below 70 % limit nothing that stalls explain, or that nobody looked at") {
  KernelReport kernel = QuietByPmSamples();
  SetPm(&kernel, TriageUnit::kIssue, 66);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "no-unit-busy");
  CHECK(verdict.confidence == Confidence::kLow);
  SetPm(&kernel, TriageUnit::kIssue, 69.8);
  const std::vector<Doubt> doubts = Decide(kernel).doubts;
  CHECK(std::any_of(doubts.begin(), doubts.end(),
                    [](const Doubt& doubt) { return doubt.id == "perhaps-busy"; }));
}

TEST_CASE("A bound on both sides of a threshold lowers the confidence, on either side") {
  KernelReport kernel = QuietByPmSamples();
  SetPm(&kernel, TriageUnit::kDram, 81, 3);
  const Verdict high = Decide(kernel);
  CHECK(high.limiter == Limiter::kDram);
  CHECK(high.confidence == Confidence::kMedium);
  SetPm(&kernel, TriageUnit::kDram, 61, 3);
  const Verdict busy = Decide(kernel);
  CHECK(busy.limiter == Limiter::kDram);
  CHECK(busy.confidence == Confidence::kMedium);
  SetPm(&kernel, TriageUnit::kDram, 59, 3);
  const Verdict idle = Decide(kernel);
  CHECK(idle.rule == "no-unit-busy");
  CHECK(idle.confidence == Confidence::kLow);
}

TEST_CASE("A small error bound around the threshold does not make a unit idle") {
  KernelReport kernel = QuietByPmSamples();
  SetPm(&kernel, TriageUnit::kTensor, 60.7, 0.8);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "tensor-throughput");
  CHECK(verdict.confidence == Confidence::kMedium);
  CHECK(Doubts(verdict).front() == "below-80");
  CHECK(Doubts(verdict)[1] == "straddles");
  CHECK_THAT(verdict.summary, Contains("60.7 +-0.8 %"));
  SetPm(&kernel, TriageUnit::kTensor, 59.9, 0.8);
  CHECK(Decide(kernel).rule == "no-unit-busy");
}

// Of waves of blocks, with warps in a part of the slots; no stall was read.
KernelReport PartOfAWave(double waves, double l2, double dram) {
  KernelReport kernel = QuietByPmSamples();
  SetPm(&kernel, TriageUnit::kWarps, 75 * waves);
  SetPm(&kernel, TriageUnit::kL2, l2);
  SetPm(&kernel, TriageUnit::kDram, dram);
  SetGrid(&kernel, static_cast<uint32_t>(132 * 8 * waves), 8);
  return kernel;
}

TEST_CASE("Part of a wave alone is no reason for more blocks") {
  const Verdict verdict = Decide(PartOfAWave(0.5, 55, 57));
  CHECK(verdict.rule == "partial-wave");
  CHECK_FALSE(Offers(verdict, "more-blocks"));
  CHECK(verdict.gain_at_most == 0);
  CHECK(verdict.actions.front().id == "read-stalls");
  CHECK(Offers(verdict, "coalesce"));
  CHECK(Offers(verdict, "aggregate-atomics"));
  CHECK_FALSE(Offers(verdict, "move-to-device"));
  CHECK_THAT(verdict.missing, Contains("sectors by operation (--counters all)"));
  CHECK_THAT(verdict.missing, Contains("warp stall reasons"));
}

TEST_CASE("DRAM below 80 % with few warps may be waited for: more of them are advised, and next") {
  KernelReport kernel = QuietByPmSamples();
  SetPm(&kernel, TriageUnit::kDram, 62);
  SetPm(&kernel, TriageUnit::kIssue, 57);               // what its loads take
  kernel.continuous.erase(Metric(TriageUnit::kWarps));  // the launch record has their most
  SetGrid(&kernel, 2 * 132, 3);
  kernel.occupancy.theoretical = 0.375;
  kernel.occupancy.limited_by = {"shared memory"};
  Verdict verdict = Decide(kernel);
  REQUIRE(verdict.limiter == Limiter::kDram);
  CHECK(Mentions(verdict.evidence, "grid of 264 blocks on 132 SMs"));
  CHECK(verdict.runner_up == "warps that wait: few, in 25.0 % of the slots");
  CHECK(Offers(verdict, "more-blocks"));
  SECTION("where the grid leaves no room, by blocks that take less of an SM") {
    SetGrid(&kernel, 40 * 132, 3);
    verdict = Decide(kernel);
    CHECK(verdict.runner_up == "warps that wait: few, in 37.5 % of the slots");
    CHECK_FALSE(Offers(verdict, "more-blocks"));
    CHECK(Offers(verdict, "raise-occupancy"));
    SetGrid(&kernel, 3 * 132, 3);  // one wave: no block waits for room
    CHECK_FALSE(Offers(Decide(kernel), "raise-occupancy"));
  }
  SECTION("not for a kernel of the tensor pipe, whose few warps are enough") {
    SetPm(&kernel, TriageUnit::kTensor, 30);
    CHECK_FALSE(Offers(Decide(kernel), "more-blocks"));
  }
  SECTION("not where the error bound of the warps in use has both sides of a half") {
    SetPm(&kernel, TriageUnit::kWarps, 45, 10);
    CHECK(Decide(kernel).runner_up.find("warps that wait") == std::string::npos);
    SetPm(&kernel, TriageUnit::kWarps, 40, 5);
    CHECK(Decide(kernel).runner_up == "warps that wait: few, in 45.0 % of the slots");
  }
  SECTION("not at 80 %, where they are enough") {
    SetPm(&kernel, TriageUnit::kDram, 82);
    verdict = Decide(kernel);
    CHECK(verdict.runner_up.find("warps that wait") == std::string::npos);
    CHECK_FALSE(Offers(verdict, "more-blocks"));
  }
  SECTION("not beside another unit that is half used") {
    SetPm(&kernel, TriageUnit::kFma, 55);
    CHECK(Decide(kernel).runner_up.rfind("FMA pipe 55", 0) == 0);
  }
  SECTION("not with more than half of the warps") {
    SetGrid(&kernel, 40 * 132, 8);
    kernel.occupancy.theoretical = 0.6;
    verdict = Decide(kernel);
    CHECK(verdict.runner_up.find("warps that wait") == std::string::npos);
    CHECK_FALSE(Offers(verdict, "raise-occupancy"));
  }
}

TEST_CASE("With few warps by PM samples more blocks have a bound, before the suspicions") {
  KernelReport kernel = PartOfAWave(0.125, 20, 20);
  kernel.grid = {132, 1, 1};
  Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "partial-wave");
  CHECK(verdict.actions.front().id == "more-blocks");
  CHECK(verdict.actions.front().gain_at_most.value_or(0) > 0.7);
  // The launch record has the most warps that there can be, but not the least.
  kernel.continuous.erase(Metric(TriageUnit::kWarps));
  verdict = Decide(kernel);
  CHECK(verdict.actions.front().id == "more-blocks");
  CHECK(verdict.actions.front().gain_at_most.value_or(0) > 0.7);
  CHECK(verdict.actions.front().floor.find("warps") == std::string::npos);
}

TEST_CASE("Where memory idles and warps wait, atomics and the link to the host are suspected") {
  for (const double waves : {0.125, 0.5}) {
    KernelReport kernel = PartOfAWave(waves, 1.5, 0.0);
    kernel.grid = {132, 1, 1};  // all SMs have a block: no small grid
    const Verdict verdict = Decide(kernel);
    CHECK(verdict.rule == "partial-wave");
    CHECK(verdict.actions.front().id == "read-sectors");
    CHECK(Offers(verdict, "aggregate-atomics"));
    CHECK(Offers(verdict, "move-to-device"));
    CHECK_FALSE(Offers(verdict, "more-blocks"));
    CHECK_FALSE(Offers(verdict, "coalesce"));
    for (const Action& action : verdict.actions) CHECK_FALSE(action.gain_at_most);
  }
}

TEST_CASE("A kernel without work for memory is not suspected of atomics") {
  KernelReport kernel = PartOfAWave(0.5, 0.1, 0.0);
  kernel.local_bytes_per_thread = 0;
  const Verdict verdict = Decide(kernel);
  CHECK_FALSE(Offers(verdict, "aggregate-atomics"));
  CHECK_FALSE(Offers(verdict, "coalesce"));
  CHECK(verdict.missing.find("--counters all") == std::string::npos);
}

TEST_CASE("Local memory that nobody counted is a suspicion, also where no unit is busy") {
  KernelReport kernel = QuietByPmSamples();
  SetPm(&kernel, TriageUnit::kL2, 32);
  kernel.local_bytes_per_thread = 512;
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "no-unit-busy");
  CHECK(Offers(verdict, "remove-spills"));
  CHECK(verdict.actions.front().id == "read-stalls");
}

TEST_CASE("Where no unit is busy the verdict names the highest, and what would decide") {
  KernelReport kernel = QuietByPmSamples();
  SetPm(&kernel, TriageUnit::kL2, 41);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kLatency);
  CHECK(verdict.rule == "no-unit-busy");
  CHECK(verdict.confidence == Confidence::kMedium);
  CHECK_THAT(verdict.summary, Contains("highest: L2 41.0 +-0.5 % of peak"));
  CHECK_THAT(verdict.missing, Contains("(record for longer, or with --counters stalls)"));
  CHECK(verdict.stall.empty());
  CHECK(Mentions(verdict.evidence, "warp slots in use 90.0 +-0.5 % of those of all SMs"));
}

TEST_CASE("To record for longer is no way to a unit that PM sampling does not read") {
  KernelReport kernel = QuietByPmSamples();
  kernel.continuous[Metric(TriageUnit::kTensor)].value.reset();
  CHECK_THAT(Decide(kernel).missing,
             Contains("the use of tensor (record for longer, or with --counters sol)"));
  kernel.continuous.erase(Metric(TriageUnit::kL2));  // this chip has no metric for it
  CHECK_THAT(Decide(kernel).missing,
             Contains("the use of tensor (record for longer, or with --counters sol), and of L2, "
                      "which PM sampling did not read here (--counters sol)"));
}

TEST_CASE("SM activity by PM samples shows a tail and an imbalance") {
  KernelReport kernel = QuietByPmSamples();
  SetPm(&kernel, TriageUnit::kSmActive, 67);
  SetPm(&kernel, TriageUnit::kWarps, 60);
  SetGrid(&kernel, 132 * 8 + 10, 8);
  kernel.occupancy.theoretical = 1;
  const Verdict tail = Decide(kernel);
  CHECK(tail.rule == "tail");
  CHECK(tail.gain_at_most == Approx(1 - 0.595));  // the warps in use, at the lower end
  CHECK(Mentions(tail.evidence, "SM active 67.0 +-0.5 % of the time"));

  SetGrid(&kernel, 132 * 8 * 4, 8);
  SetPm(&kernel, TriageUnit::kWarps, 40);
  CHECK(Decide(kernel).rule == "imbalance");
  kernel.continuous.erase(Metric(TriageUnit::kWarps));
  CHECK(Decide(kernel).rule == "imbalance");
  SetPm(&kernel, TriageUnit::kSmActive, 85);  // too little without warps
  CHECK(Decide(kernel).rule != "imbalance");
}

TEST_CASE("Less than a wave may be uneven, too, where each SM has a block") {
  KernelReport kernel = QuietByPmSamples();
  SetGrid(&kernel, 264, 3);
  SetPm(&kernel, TriageUnit::kSmActive, 52);
  const Verdict uneven = Decide(kernel);
  CHECK(uneven.rule == "imbalance");
  CHECK(uneven.actions.front().id == "even-out-blocks");
  SetPm(&kernel, TriageUnit::kSmActive, 85);
  CHECK(Decide(kernel).rule == "partial-wave");
  SetPm(&kernel, TriageUnit::kSmActive, 52);
  SetGrid(&kernel, 64, 3);  // then the SMs without a block are the reason
  CHECK(Decide(kernel).rule == "small-grid");
}

TEST_CASE("Where a unit is at half of its peak, that no unit is busy has low confidence") {
  KernelReport kernel = PartOfAWave(0.5, 20, 45);
  CHECK(Decide(kernel).confidence == Confidence::kMedium);
  SetPm(&kernel, TriageUnit::kTensor, 56);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "partial-wave");
  CHECK(verdict.confidence == Confidence::kLow);
  const std::vector<std::string> doubts = Doubts(verdict);
  CHECK(std::count(doubts.begin(), doubts.end(), "half-used") == 1);
}

TEST_CASE("The texture unit is a unit, by what it returns") {
  KernelReport kernel = QuietByPmSamples();
  SetPmRate(&kernel, format::TriageRate::kTextureReturns, 0.94, 0.02);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "texture-throughput");
  CHECK(verdict.limiter == Limiter::kL1);
  CHECK_THAT(verdict.summary, Contains("texture unit at 94.0 +-2.0 %"));
  CHECK(Offers(verdict, "fewer-texture-fetches"));
}

TEST_CASE("A grid that leaves SMs empty is the verdict where no unit is busy") {
  KernelReport kernel = QuietByPmSamples();
  SetPm(&kernel, TriageUnit::kSmActive, 12);
  SetGrid(&kernel, 16, 8);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.rule == "small-grid");
  CHECK(Mentions(verdict.evidence, "SM active 12.0"));
}

TEST_CASE("A kernel shorter than a launch is launch-sized, with the unit that is busy") {
  KernelReport kernel = QuietByPmSamples();
  kernel.duration_ns.median = 3'000;
  SetPm(&kernel, TriageUnit::kDram, 70);
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kLaunchSized);
  CHECK_THAT(verdict.summary, Contains("busiest unit is DRAM 70.0 +-0.5 % of peak"));
}

TEST_CASE("A kernel of NCCL waits for other ranks, whatever its units and its grid show") {
  KernelReport kernel = QuietByPmSamples();
  kernel.name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL";
  SetGrid(&kernel, 24, 1);
  for (const double dram : {5, 85}) {
    SetPm(&kernel, TriageUnit::kDram, dram);
    const Verdict verdict = Decide(kernel);
    CHECK(verdict.limiter == Limiter::kCommunication);
    CHECK(verdict.decided);
    REQUIRE(verdict.actions.size() == 1);
    CHECK(verdict.actions[0].id == "wait-less-for-ranks");
    CHECK_FALSE(verdict.actions[0].gain_at_most);
    CHECK_THAT(verdict.missing, Contains("prof ranks"));
    CHECK(verdict.notes.empty());
  }
  kernel.continuous.clear();
  CHECK(Decide(kernel).limiter == Limiter::kCommunication);
}

TEST_CASE("Kernels of CUDA graphs have verdicts, and an honest way to what is missing") {
  KernelReport kernel = QuietByPmSamples();
  kernel.in_graph = true;
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kLatency);
  CHECK_THAT(verdict.missing, Contains("outside of the graph") && !Contains("record for longer"));
}

TEST_CASE("Counters decide what they read, and PM samples the rest") {
  KernelReport kernel = QuietKernel();
  SetPm(&kernel, TriageUnit::kDram, 95);
  const Verdict by_counters = Decide(kernel);
  CHECK(by_counters.limiter != Limiter::kDram);
  CHECK(by_counters.source == Source::kCounters);
  Remove(&kernel, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed");
  const Verdict by_both = Decide(kernel);
  CHECK(by_both.limiter == Limiter::kDram);
  CHECK(by_both.source == Source::kBoth);
}

TEST_CASE("Reads and writes count together, with both errors") {
  CHECK(Decide(WithoutCounters({{kReads, Value(50, 1)}, {kWrites, Value(36, 1)}})).limiter ==
        Limiter::kDram);
  const Verdict wide = Decide(WithoutCounters({{kReads, Value(50, 14)}, {kWrites, Value(36, 14)}}));
  CHECK(wide.limiter == Limiter::kDram);
  CHECK_THAT(wide.summary, Contains("86.0 +-28.0 %"));
  CHECK(wide.confidence == Confidence::kLow);
  CHECK(Decide(WithoutCounters({{kReads, Value(95, 1)}})).limiter == Limiter::kNotMeasured);
}

TEST_CASE("One unit alone does not show that no unit is busy") {
  KernelReport kernel = WithoutCounters();
  SetPm(&kernel, TriageUnit::kDram, 12);
  const Verdict quiet = Decide(kernel);
  CHECK(quiet.limiter == Limiter::kUnknown);
  CHECK_THAT(quiet.missing, Contains("tensor"));
  SetPm(&kernel, TriageUnit::kDram, 86, 3);
  const Verdict busy = Decide(kernel);
  CHECK(busy.limiter == Limiter::kDram);
  CHECK(busy.confidence == Confidence::kMedium);
}

TEST_CASE("Metrics without a value are shown with the reason, once for each reason") {
  KernelReport kernel = WithoutCounters();
  ContinuousValue missing;
  missing.missing = "only 1.50 ms of it were sampled";
  for (const TriageUnit unit : {TriageUnit::kDram, TriageUnit::kL2}) {
    kernel.continuous[Metric(unit)] = missing;
  }
  const Verdict verdict = Decide(kernel);
  CHECK(verdict.limiter == Limiter::kNotMeasured);
  CHECK(verdict.source == Source::kNone);
  REQUIRE(verdict.evidence.size() == 1);
  CHECK_THAT(verdict.evidence[0], Contains("2 metrics") && Contains("only 1.50 ms"));
}

}  // namespace
}  // namespace prof::test::pm_verdict_test
