// SPDX-License-Identifier: Apache-2.0
//
// Each expectation on kernels with known values, and its explanation.
#include "prof/expect.h"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "test/expect/kernels.h"
#include "test/support/catch.h"

namespace prof::expect_test {
namespace {

using std::chrono::microseconds;
using test::Measured;
using test::ReportOf;
using test::Saxpy;
using test::WithoutCounters;
using test::WithUnits;

bool Contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("A unit meets the fraction of its peak that it reached, and no more") {
  const KernelReport kernel = Saxpy();
  CHECK(ReachesDram(0.80).Check(kernel) == Outcome::kMet);
  CHECK(ReachesDram(0.912).Check(kernel) == Outcome::kMet);
  CHECK(ReachesDram(0.92).Check(kernel) == Outcome::kNotMet);
}

TEST_CASE("A unit is as busy as the busiest of its counters") {
  const KernelReport kernel = Saxpy();
  CHECK(ReachesL2(0.42).Check(kernel) == Outcome::kMet);
  CHECK(ReachesL2(0.43).Check(kernel) == Outcome::kNotMet);
  CHECK(Contains(ReachesL2(0.43).Explain(kernel), test::kL2ToXbar));
}

TEST_CASE("A unit with a counter missing can be met but not be missed") {
  KernelReport kernel = Saxpy();
  kernel.metrics.erase(test::kL2Sectors);
  kernel = WithUnits(kernel);
  CHECK(ReachesL2(0.40).Check(kernel) == Outcome::kMet);
  CHECK(ReachesL2(0.43).Check(kernel) == Outcome::kNotMeasured);
}

TEST_CASE("A counter without samples, without a value, or over 100 % was not measured") {
  KernelReport kernel = Saxpy();
  const auto with_dram = [&](Statistic value) {
    kernel.metrics[test::kDram] = value;
    return WithUnits(kernel);
  };
  CHECK(ReachesDram(0.80).Check(with_dram(Statistic{})) == Outcome::kNotMeasured);
  CHECK(ReachesDram(0.80).Check(with_dram(Measured(std::nan(""), 0, 0))) == Outcome::kNotMeasured);
  const KernelReport impossible = with_dram(Measured(114, 113, 115));
  CHECK(ReachesDram(0.80).Check(impossible) == Outcome::kNotMeasured);
  CHECK(Contains(ReachesDram(0.80).Explain(impossible), "unreliable"));
}

TEST_CASE("A unit is not measured when its highest metric is above 102 % of the peak") {
  KernelReport kernel = Saxpy();
  kernel.metrics[test::kL2ToXbar] = Measured(103, 102, 104);
  CHECK(ReachesL2(0.20).Check(WithUnits(kernel)) == Outcome::kNotMeasured);
  CHECK(Contains(ReachesL2(0.20).Explain(WithUnits(kernel)), test::kL2ToXbar));
  kernel.metrics[test::kL2ToXbar] = Measured(101.9, 101, 102);
  CHECK(ReachesL2(1.0).Check(WithUnits(kernel)) == Outcome::kMet);
}

TEST_CASE("Each unit reads its own counter") {
  const auto only = [](const char* metric) {
    KernelReport kernel;
    kernel.metrics[metric] = Measured(70, 70, 70);
    return WithUnits(kernel);
  };
  CHECK(ReachesTensor(0.7).Check(only(
            "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed")) == Outcome::kMet);
  CHECK(ReachesFma(0.7).Check(
            only("sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed")) == Outcome::kMet);
  CHECK(ReachesFp64(0.7).Check(only(
            "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed")) == Outcome::kMet);
  CHECK(ReachesL1(0.7).Check(only(
            "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed")) == Outcome::kMet);
  CHECK(ReachesFp64(0.7).Check(only(test::kDram)) == Outcome::kNotMeasured);
}

TEST_CASE("A failing explanation names the value, its spread, the verdict and its evidence") {
  const std::string text = ReachesDram(0.95).Explain(Saxpy());
  CHECK(text ==
        "DRAM reached 91.2 % of its peak, expected at least 95.0 %\n"
        "  gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed: median 91.2 of n = 3, 90.8 to "
        "91.9\n"
        "  verdict: dram, confidence high: DRAM is at 91.2 % of its peak\n"
        "  - 4.4 TB/s of 4.8 TB/s");
  CHECK(ReachesDram(0.95).Describe() == "reaches 95.0 % of the peak of DRAM");
}

TEST_CASE("An expected value within the spread is called that") {
  CHECK(Contains(ReachesDram(0.915).Explain(Saxpy()), "within the spread"));
  CHECK_FALSE(Contains(ReachesDram(0.80).Explain(Saxpy()), "within the spread"));
}

TEST_CASE("An unmeasured kernel meets nothing that needs counters, with the reason") {
  const KernelReport kernel = WithoutCounters();
  for (const Expectation& expectation :
       {ReachesDram(0.0), ReachesL2(0.0), IsBoundBy(Limiter::kDram), OccupancyAtLeast(0.0),
        IsBoundBy(Limiter::kNotMeasured), MetricAtMost("sm__cycles_active.max", 1e9)}) {
    CAPTURE(expectation.Describe());
    CHECK(expectation.Check(kernel) == Outcome::kNotMeasured);
    CHECK((!expectation).Check(kernel) == Outcome::kNotMeasured);
    CHECK(Contains(expectation.Explain(kernel), "restricts counters to administrators"));
  }
}

TEST_CASE("Rejected samples are counted") {
  KernelReport kernel = WithoutCounters();
  kernel.samples_rejected = 7;
  CHECK(Contains(ReachesDram(0.5).Explain(kernel), "7 counter samples were rejected"));
}

TEST_CASE("The limiter is compared with the verdict") {
  CHECK(IsBoundBy(Limiter::kDram).Check(Saxpy()) == Outcome::kMet);
  CHECK(IsBoundBy(Limiter::kL2).Check(Saxpy()) == Outcome::kNotMet);
  CHECK(Contains(IsBoundBy(Limiter::kL2).Explain(Saxpy()), "limited by dram, expected l2"));
}

TEST_CASE("Achieved occupancy does not fall back to the theoretical one") {
  CHECK(OccupancyAtLeast(0.5).Check(Saxpy()) == Outcome::kMet);
  CHECK(OccupancyAtLeast(0.51).Check(Saxpy()) == Outcome::kNotMet);
  CHECK(OccupancyAtLeast(0.5).Check(WithoutCounters()) == Outcome::kNotMeasured);
  CHECK(TheoreticalOccupancyAtLeast(0.99).Check(WithoutCounters()) == Outcome::kMet);
}

TEST_CASE("Theoretical occupancy needs the device's limits and names what is scarce") {
  KernelReport kernel = Saxpy();
  kernel.occupancy.theoretical = 0.25;
  kernel.occupancy.limited_by = {"registers"};
  CHECK(TheoreticalOccupancyAtLeast(0.5).Check(kernel) == Outcome::kNotMet);
  CHECK(Contains(TheoreticalOccupancyAtLeast(0.5).Explain(kernel), "limited by registers"));
  kernel.occupancy.known = false;
  CHECK(TheoreticalOccupancyAtLeast(0.5).Check(kernel) == Outcome::kNotMeasured);
}

TEST_CASE("The duration is compared by its median, with any unit of time") {
  CHECK(TakesAtMost(microseconds(890)).Check(Saxpy()) == Outcome::kMet);
  CHECK(TakesAtMost(microseconds(889)).Check(Saxpy()) == Outcome::kNotMet);
  CHECK(TakesAtMost(std::chrono::milliseconds(1)).Check(WithoutCounters()) == Outcome::kMet);
  CHECK(TakesAtMost(microseconds(1)).Check(KernelReport{}) == Outcome::kNotMeasured);
}

TEST_CASE("A kernel without local memory does not spill; with it, the traffic decides") {
  KernelReport kernel = Saxpy();
  CHECK(DoesNotSpill().Check(kernel) == Outcome::kMet);
  CHECK(DoesNotSpill().Check(KernelReport{}) == Outcome::kNotMeasured);
  kernel.local_known = false;
  CHECK(DoesNotSpill().Check(kernel) == Outcome::kNotMeasured);
  CHECK(Contains(DoesNotSpill().Explain(kernel), "whether it has local memory is not known"));
  kernel.local_known = true;
  kernel.local_bytes_per_thread = 64;
  CHECK(DoesNotSpill().Check(kernel) == Outcome::kNotMeasured);
  kernel.metrics[test::kLocalLoads] = Measured(0, 0, 0);
  kernel.metrics[test::kLocalStores] = Measured(0, 0, 0);
  CHECK(DoesNotSpill().Check(kernel) == Outcome::kMet);
  kernel.metrics[test::kLocalStores] = Measured(128, 128, 128);
  CHECK(DoesNotSpill().Check(kernel) == Outcome::kNotMet);
}

TEST_CASE("Any metric can be bounded from either side") {
  CHECK(MetricAtLeast(test::kL2Sectors, 30).Check(Saxpy()) == Outcome::kMet);
  CHECK(MetricAtLeast(test::kL2Sectors, 31).Check(Saxpy()) == Outcome::kNotMet);
  CHECK(MetricAtMost(test::kL2Sectors, 30).Check(Saxpy()) == Outcome::kMet);
  CHECK(MetricAtMost(test::kL2Sectors, 29).Check(Saxpy()) == Outcome::kNotMet);
}

TEST_CASE("A fraction is from 0 to 1: 80 where 0.8 is meant does not compile, 80.0 fails clearly") {
  static_assert(!std::is_constructible_v<Fraction, int>);
  static_assert(!std::is_convertible_v<int64_t, Fraction>);
  static_assert(std::is_convertible_v<double, Fraction> && std::is_convertible_v<float, Fraction>);
  static_assert(Percent(80).value() > 0.79999 && Percent(80).value() < 0.80001);
  CHECK(ReachesDram(Percent(80)).Check(Saxpy()) == Outcome::kMet);
  const Expectation wrong[] = {ReachesDram(80.0), ReachesL2(-0.1), ReachesTensor(std::nan("")),
                               OccupancyAtLeast(50.0), TheoreticalOccupancyAtLeast(1.5)};
  for (const Expectation& expectation : wrong) {
    INFO(expectation.Describe());
    CHECK(expectation.Check(Saxpy()) == Outcome::kInvalid);
    CHECK((!expectation).Check(Saxpy()) == Outcome::kInvalid);
    CHECK((expectation || ReachesDram(0.1)).Check(Saxpy()) == Outcome::kInvalid);
    CHECK((ReachesDram(0.99) && expectation).Check(Saxpy()) == Outcome::kInvalid);
    CHECK_FALSE(expectation.match(Saxpy()));
  }
  CHECK(ReachesDram(80.0).Explain(Saxpy()) ==
        "invalid expectation: 80 is no fraction from 0 to 1; 80 % is 0.8, or prof::Percent(80)");
  CHECK(MetricAtLeast(test::kL2Sectors, std::nan("")).Check(Saxpy()) == Outcome::kInvalid);
}

TEST_CASE("An expectation that cannot be right is invalid whatever was measured, negated too") {
  struct Wrong {
    Expectation expectation;
    const char* way_out;
  };
  const Wrong wrong[] = {
      {ReachesDram(80.0), "prof::Percent(80)"},
      {ReachesDram(Percent(0.8)), "80 % is 0.8, or prof::Percent(80)"},
      {OccupancyAtLeast(Percent(1.0)), "100 % is 1, or prof::Percent(100)"},
      {TheoreticalOccupancyAtLeast(0.005), "the least is 0.01"},
      {CoalescedAtLeast(Percent(0.5)), "prof::Percent(50)"},
      {BankConflictsAtMost(Percent(-1)), "from 0 to 100"},
      {RegistersAtMost(-1), "from 1 to 255"},
      {RegistersAtMost(0), "from 1 to 255"},
      {TakesAtMost(std::chrono::nanoseconds(-1)), "a duration above 0"},
      {TakesAtMost(std::chrono::nanoseconds(0)), "a duration above 0"},
      {DramBytesAtMost(std::nan("")), "computation"},
      {DramBytesAtMost(-5), "from 0 on"},
      {MetricAtMost(test::kDram, std::nan("")), "a finite number"},
      {MetricAtMost("", 1), "prof metrics"},
  };
  for (const auto& [expectation, way_out] : wrong) {
    INFO(expectation.Describe());
    const Expectation negated = !expectation;
    for (const Expectation& each :
         {expectation, negated, expectation && ReachesDram(0.5), ReachesDram(0.5) || expectation}) {
      CHECK(each.Check(Saxpy()) == Outcome::kInvalid);
      CHECK(each.Check(WithoutCounters()) == Outcome::kInvalid);
      CHECK(each.Check(KernelReport{}) == Outcome::kInvalid);
      CHECK(each.Check(Report{}) == Outcome::kInvalid);
      CHECK(Contains(each.Explain(Report{}), way_out));
    }
  }
  CHECK(ReachesDram(0.01).Check(Saxpy()) == Outcome::kMet);  // "is used at all"
  CHECK(ReachesDram(0.0).Check(Saxpy()) == Outcome::kMet);
  CHECK(ReachesDram(Percent(2)).Check(Saxpy()) == Outcome::kMet);
}

TEST_CASE("A metric that is missing beside others has a reason of its own") {
  KernelReport kernel = Saxpy();
  kernel.verdict.missing = "sectors per request would decide";
  const std::string text = MetricAtLeast("no_such_metric", 1).Explain(kernel);
  CHECK(Contains(text, "not measured: no_such_metric"));
  CHECK(Contains(text, "SessionOptions::metrics"));
  CHECK_FALSE(Contains(text, "sectors"));
}

TEST_CASE("The verdict of a combined expectation is printed once") {
  const std::string text = (ReachesDram(0.1) && ReachesL2(0.1)).Explain(Saxpy());
  CHECK(Contains(text, "DRAM reached 91.2 %"));
  CHECK(Contains(text, "L2 reached 42.0 %"));
  CHECK(text.find("verdict: ") == text.rfind("verdict: "));
}

TEST_CASE("A duration is printed in microseconds, with its spread") {
  const std::string text = TakesAtMost(std::chrono::microseconds(1)).Explain(Saxpy());
  CHECK(Contains(text, "duration: median 890 us of n = 17, 880 us to 905 us"));
}

TEST_CASE("Combined expectations keep the unmeasured apart from the met and the missed") {
  const KernelReport kernel = Saxpy();
  const Expectation met = ReachesDram(0.8), missed = ReachesDram(0.99),
                    unknown = ReachesTensor(0.0);
  CHECK((met && met).Check(kernel) == Outcome::kMet);
  CHECK((met && missed).Check(kernel) == Outcome::kNotMet);
  CHECK((met && unknown).Check(kernel) == Outcome::kNotMeasured);
  CHECK((unknown && missed).Check(kernel) == Outcome::kNotMet);
  CHECK((missed || met).Check(kernel) == Outcome::kMet);
  CHECK((unknown || met).Check(kernel) == Outcome::kMet);
  CHECK((missed || unknown).Check(kernel) == Outcome::kNotMeasured);
  CHECK((missed || missed).Check(kernel) == Outcome::kNotMet);
  CHECK((!missed).Check(kernel) == Outcome::kMet);
  CHECK((!met).Check(kernel) == Outcome::kNotMet);
}

TEST_CASE("A combined expectation explains the part that decided") {
  const Expectation both = ReachesDram(0.8) && IsBoundBy(Limiter::kL2);
  CHECK(Contains(both.Explain(Saxpy()), "expected l2"));
  CHECK_FALSE(Contains(both.Explain(Saxpy()), "expected at least"));
  CHECK(both.Describe() == "( reaches 80.0 % of the peak of DRAM and is limited by l2 )");
}

TEST_CASE("A report with one kernel stands for it; with several, one must be chosen by name") {
  CHECK(ReachesDram(0.8).Check(ReportOf(Saxpy())) == Outcome::kMet);

  Report two = ReportOf(Saxpy());
  two.kernels.push_back(Saxpy());
  two.kernels.back().name = "gemm";
  CHECK(ReachesDram(0.8).Check(two) == Outcome::kNotMeasured);
  CHECK(Contains(ReachesDram(0.8).Explain(two), "gemm"));

  Report none;
  none.notices.push_back({"error", "timeline", "no CUDA device", ""});
  CHECK(ReachesDram(0.8).Check(none) == Outcome::kNotMeasured);
  CHECK(Contains(ReachesDram(0.8).Explain(none), "no CUDA device"));
}

TEST_CASE("A machine that cannot measure gives its reason; a kernel that was missed does not") {
  Report report = ReportOf(WithoutCounters());
  CHECK(WhyNotMeasured(report).empty());
  report.notices.push_back({"info", "counters", "prepared in 150 ms", ""});
  report.notices.push_back({"error", "output", "disk full", ""});
  CHECK(WhyNotMeasured(report).empty());
  report.notices.push_back({"warning", "counters", "no permission", "run as root"});
  CHECK(WhyNotMeasured(report) == "no permission; run as root");
  report.notices.push_back({"error", "timeline", "no CUDA device", ""});
  CHECK(WhyNotMeasured(report) == "no CUDA device");
  report.kernels.push_back(Saxpy());
  CHECK(WhyNotMeasured(report).empty());
}

}  // namespace
}  // namespace prof::expect_test
