// SPDX-License-Identifier: Apache-2.0
//
// What PM samples may decide: DRAM, beyond their error bound, where there are no counters.
#include "test/analyzer/rules/kernels.h"
#include "test/support/catch.h"

namespace prof::test {
namespace {

constexpr const char* kDram = "dramc__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kReads = "dramc__read_throughput.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kWrites = "dramc__write_throughput.avg.pct_of_peak_sustained_elapsed";

ContinuousValue Value(double percent, double error) {
  ContinuousValue value;
  value.value = percent;
  value.error = error;
  value.seconds = 0.5;
  value.samples = 5000;
  return value;
}

KernelReport WithoutCounters(const ContinuousValues& values) {
  KernelReport kernel = QuietKernel();
  kernel.metrics.clear();
  kernel.continuous = values;
  return kernel;
}

TEST_CASE("A DRAM throughput that is saturated at the lower end of its bound is the limit") {
  const Verdict verdict = Decide(WithoutCounters({{kDram, Value(86, 3)}}));
  CHECK(verdict.limiter == Limiter::kDram);
  CHECK(verdict.rule == "continuous-dram");
  CHECK(verdict.confidence == Confidence::kMedium);
  CHECK(verdict.gain_at_most == Approx(1 - 0.83 / 0.93));
  CHECK(Mentions(verdict.evidence, "86.0 +-3.0 %"));
  CHECK(Mentions(verdict.evidence, kDram));
  CHECK_FALSE(verdict.missing.empty());
}

TEST_CASE("One that may as well be below the threshold decides nothing, but is shown") {
  const Verdict verdict = Decide(WithoutCounters({{kDram, Value(82, 3)}}));
  CHECK(verdict.limiter == Limiter::kNotMeasured);
  CHECK(verdict.confidence == Confidence::kNone);
  CHECK(Mentions(verdict.evidence, "82.0 +-3.0 %"));
}

TEST_CASE("Reads and writes count together, with both errors") {
  CHECK(Decide(WithoutCounters({{kReads, Value(50, 1)}, {kWrites, Value(36, 1)}})).limiter ==
        Limiter::kDram);
  CHECK(Decide(WithoutCounters({{kReads, Value(50, 4)}, {kWrites, Value(36, 4)}})).limiter ==
        Limiter::kNotMeasured);
  CHECK(Decide(WithoutCounters({{kReads, Value(95, 1)}})).limiter == Limiter::kNotMeasured);
}

TEST_CASE("Counters of the kernel decide, whatever the PM samples are") {
  KernelReport kernel = QuietKernel();
  kernel.continuous = {{kDram, Value(95, 1)}};
  CHECK(Decide(kernel).limiter != Limiter::kDram);
}

TEST_CASE("A kernel shorter than a launch gets no verdict from samples fifty times as long") {
  KernelReport kernel = WithoutCounters({{kDram, Value(95, 1)}});
  kernel.duration_ns.median = 2'000;
  CHECK(Decide(kernel).limiter == Limiter::kNotMeasured);
}

TEST_CASE("A metric without a value is shown with the reason") {
  ContinuousValue missing;
  missing.missing = "only 1.50 ms of it were sampled";
  const Verdict verdict = Decide(WithoutCounters({{kDram, missing}}));
  CHECK(verdict.limiter == Limiter::kNotMeasured);
  CHECK(Mentions(verdict.evidence, "only 1.50 ms"));
}

}  // namespace
}  // namespace prof::test
