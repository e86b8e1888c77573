// SPDX-License-Identifier: Apache-2.0
//
// The verdict on the work: what exact counters show, whatever the time does.
#include "lib/compare/work.h"

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "test/compare/runs.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::work_test {
namespace {

using test::Contains;
using test::Kernel;
using test::Run;
using test::With;

constexpr char kAdditions[] = "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum";
constexpr char kLocalStores[] = "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum";

// A run for each value of the instructions, in `time_ns`.
std::vector<Report> Counted(const std::vector<double>& instructions, uint32_t first_pid,
                            double time_ns = 100e3) {
  std::vector<Report> runs;
  for (const double value : instructions) {
    runs.push_back(
        Run({With(Kernel("saxpy", time_ns + first_pid), test::kInstructions, value)}, first_pid++));
  }
  return runs;
}

ComparedWork WorkOf(const Comparison& comparison) {
  REQUIRE(comparison.error.empty());
  REQUIRE(comparison.kernels.size() == 1);
  return comparison.kernels[0].work;
}

ComparedWork OneRunEach(const KernelReport& before, const KernelReport& after) {
  return WorkOf(Compare({Run({before}, 1)}, {Run({after}, 2)}));
}

TEST_CASE("A fifth more instructions are more work, whatever the time shows") {
  const std::vector<double> before(7, 1e6), after(7, 1.2e6);
  const Comparison comparison = Compare(Counted(before, 1), Counted(after, 101));
  CHECK(comparison.kernels[0].time.change == Change::kSame);
  const ComparedWork work = WorkOf(comparison);
  CHECK(work.change == WorkChange::kMore);
  CHECK(work.counter == "instructions");
  CHECK(work.ratio == Approx(1.2));
  CHECK(work.why ==
        "it does more work: 1.20 times the instructions; within a side they do not differ");
  CHECK(comparison.overall_work() == WorkChange::kMore);
  CHECK(comparison.overall() == Change::kSame);
  CHECK(WorkOf(Compare(Counted(after, 1), Counted(before, 101))).change == WorkChange::kLess);
}

TEST_CASE("More work is shown, first of all, where the time is inconclusive or the same") {
  for (const double time_ns : {100e3, 104e3}) {
    std::ostringstream text;
    WriteComparison(text, Compare(Counted({1e6, 1e6}, 1), Counted({1.2e6, 1.2e6}, 101, time_ns)));
    CHECK_THAT(text.str(), Contains("work:   1 more, by exact counters") && Contains(" more ") &&
                               Contains("- it does more work: 1.20 times the instructions"));
  }
  std::ostringstream equal;
  WriteComparison(equal, Compare(Counted({1e6, 1e6}, 1), Counted({1e6, 1e6}, 101)));
  CHECK_THAT(equal.str(), Contains("work:   1 same") && !Contains("it does"));
}

TEST_CASE("Without exact counters on both sides the work is not measured, and has no column") {
  const Comparison comparison = Compare(test::Runs({100e3}), Counted({1e6}, 101));
  CHECK(WorkOf(comparison).change == WorkChange::kNotMeasured);
  CHECK(std::isnan(WorkOf(comparison).ratio));
  CHECK(comparison.overall_work() == WorkChange::kNotMeasured);
  std::ostringstream text;
  text << comparison;
  CHECK_THAT(text.str(), !Contains("work:  ") && !Contains(" work "));
}

TEST_CASE("Work that changed by less than the threshold is the same, with the largest change") {
  const ComparedWork work = WorkOf(Compare(Counted({1e6}, 1), Counted({1.04e6}, 101)));
  CHECK(work.change == WorkChange::kSame);
  CHECK(work.why ==
        "it does the same work: of 1 exact counter the largest change is 1.04 times the "
        "instructions");
  CHECK(WorkOf(Compare(Counted({1e6}, 1), Counted({1.051e6}, 101))).change == WorkChange::kMore);
  CHECK(WorkOf(Compare(Counted({1.051e6}, 1), Counted({1e6}, 101))).change == WorkChange::kLess);
  CompareOptions options;
  options.threshold = 0.01;
  CHECK(WorkOf(Compare(Counted({1e6}, 1), Counted({1.04e6}, 101), options)).change ==
        WorkChange::kMore);
}

TEST_CASE("A counter that equal runs differ in shows no work, or a change far beyond that") {
  const std::vector<double> before = {1e6, 1.02e6, 1.04e6, 1.05e6};
  const auto times = [&](double factor) {
    std::vector<double> after = before;
    for (double& value : after) value *= factor;
    return WorkOf(Compare(Counted(before, 1), Counted(after, 101)));
  };
  CHECK(times(1).change == WorkChange::kNotMeasured);
  CHECK(times(1.1).change == WorkChange::kNotMeasured);
  CHECK_THAT(times(1.1).why, Contains("its exact counters differ by 4.9 % within a side"));
  CHECK(times(1.3).change == WorkChange::kMore);
  CHECK_THAT(times(1.3).why, Contains("within a side they differ by 4.9 % at most"));
}

TEST_CASE("Two runs of each side that differ in a counter show no change of it") {
  CHECK(WorkOf(Compare(Counted({1e6, 1.005e6}, 1), Counted({1.3e6, 1.3e6}, 101))).change ==
        WorkChange::kNotMeasured);
  CHECK(WorkOf(Compare(Counted({1e6, 1.0005e6}, 1), Counted({1.3e6, 1.3e6}, 101))).change ==
        WorkChange::kMore);
}

TEST_CASE("With one run the launches show what a counter differs by") {
  const auto kernel = [](double least, double most) {
    KernelReport counted = With(Kernel("saxpy", 100e3), test::kInstructions, least);
    counted.metrics[test::kInstructions].max = most;
    return counted;
  };
  CHECK(OneRunEach(kernel(1e6, 1e6), kernel(1.2e6, 1.2e6)).change == WorkChange::kMore);
  CHECK(OneRunEach(kernel(1e6, 1.1e6), kernel(1.2e6, 1.3e6)).change == WorkChange::kNotMeasured);
}

TEST_CASE("A counter that is a small part of the work shows none") {
  const auto kernel = [](double additions) {
    return With(With(Kernel("saxpy", 100e3), test::kInstructions, 1e6), kAdditions, additions);
  };
  const double of_instructions = 32;  // threads of a warp
  CHECK(OneRunEach(kernel(0.04e6 * of_instructions), kernel(0.08e6 * of_instructions)).change ==
        WorkChange::kSame);
  CHECK(OneRunEach(kernel(0.04e6 * of_instructions), kernel(0.10e6 * of_instructions)).change ==
        WorkChange::kMore);
}

TEST_CASE("Work that there was none of is more, and has no ratio") {
  const KernelReport none =
      With(With(Kernel("saxpy", 100e3), kLocalStores, 0), test::kLoadSectors, 1000);
  const ComparedWork work = OneRunEach(none, With(none, kLocalStores, 500));
  CHECK(work.change == WorkChange::kMore);
  CHECK(std::isnan(work.ratio));
  CHECK_THAT(work.why, Contains("sectors of local stores, before none"));
  CHECK_THAT(OneRunEach(With(none, kLocalStores, 500), none).why,
             Contains("it does less work: no sectors of local stores any more"));
  const ComparedWork little = OneRunEach(none, With(none, kLocalStores, 20));
  CHECK(little.change == WorkChange::kSame);
  CHECK_THAT(little.why, !Contains("local"));
  CHECK_THAT(OneRunEach(With(Kernel("saxpy", 100e3), test::kLoadSectors, 1e3), none).why,
             Contains("did not change"));
}

TEST_CASE("More of one kind and less of another is mixed, and decides no single run") {
  const auto kernel = [](double time_ns, double instructions, double sectors) {
    return With(With(Kernel("saxpy", time_ns), test::kInstructions, instructions),
                test::kLoadSectors, sectors);
  };
  const Comparison comparison =
      Compare({Run({kernel(100e3, 1e6, 1e4)}, 1)}, {Run({kernel(130e3, 1.3e6, 0.5e4)}, 2)});
  CHECK(WorkOf(comparison).change == WorkChange::kMixed);
  CHECK(WorkOf(comparison).counter == "sectors of global loads");
  CHECK_THAT(
      WorkOf(comparison).why,
      Contains("it does other work: 1.30 times the instructions and 0.50 times the sectors"));
  CHECK(comparison.kernels[0].time.change == Change::kInconclusive);
}

TEST_CASE(
    "A launch of another grid that is launched as often as before is the same piece of work") {
  KernelReport half = With(Kernel("saxpy", 100e3), test::kInstructions, 0.5e6);
  const KernelReport whole = With(Kernel("saxpy", 100e3), test::kInstructions, 1e6);
  half.grid = {66, 1, 1};
  CHECK(OneRunEach(whole, half).change == WorkChange::kLess);
  half.launches = 200;
  const ComparedWork twice = OneRunEach(whole, half);
  CHECK(twice.change == WorkChange::kNotMeasured);
  CHECK_THAT(twice.why, Contains("launched 2.00 times as often"));
}

TEST_CASE("A match of low confidence shows no work") {
  KernelReport before = With(Kernel("first", 100e3), test::kInstructions, 1e6);
  KernelReport after = With(Kernel("second", 150e3, 3), test::kInstructions, 2e6);
  const Comparison comparison = Compare({Run({before}, 1)}, {Run({after}, 2)});
  REQUIRE(comparison.kernels[0].confidence == Confidence::kLow);
  CHECK(comparison.kernels[0].work.change == WorkChange::kNotMeasured);
}

TEST_CASE("The work of kernels that are not tested is decided, and counts for no summary") {
  KernelReport large = With(Kernel("large", 1e6), test::kInstructions, 1e6);
  KernelReport small = With(Kernel("small", 1e3), test::kInstructions, 1e3);
  const Comparison comparison =
      Compare({Run({large, small}, 1)}, {Run({large, With(small, test::kInstructions, 2e3)}, 2)});
  REQUIRE(comparison.kernels.size() == 2);
  CHECK(comparison.kernels[1].work.change == WorkChange::kMore);
  CHECK(comparison.overall_work() == WorkChange::kSame);
  std::ostringstream text;
  text << comparison;
  CHECK_THAT(text.str(), Contains("it does more work: 2.00 times the instructions"));
}

}  // namespace
}  // namespace prof::work_test
