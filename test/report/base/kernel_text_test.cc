// SPDX-License-Identifier: Apache-2.0
#include "lib/report/base/kernel_text.h"

#include <vector>

#include "lib/analyzer/decide.h"
#include "test/support/catch.h"

namespace prof::report::test::kernel_text_test {
namespace {

TEST_CASE("What the share with a verdict is of names communication where there is any") {
  Report report;
  report.kernels.resize(2);
  report.kernels[0].verdict.limiter = Limiter::kDram;
  CHECK(CoveredTime(report) == "the kernel time");
  report.kernels[1].verdict.limiter = Limiter::kCommunication;
  CHECK(CoveredTime(report) == "the kernel time without communication");
}

TEST_CASE("What a longer run may add is named where it is anything") {
  Report report;
  CHECK(OfLongerRun(report).empty());
  report.verdicts.later = 0.0004;
  CHECK(OfLongerRun(report).empty());
  report.verdicts.later = 0.022;
  CHECK(OfLongerRun(report) == "; a longer run may add 2.2 %");
}

TEST_CASE("The share with a verdict is one of the kernels that do not communicate") {
  std::vector<KernelReport> kernels(3);
  kernels[0].total_ns = 600;
  kernels[0].verdict.limiter = Limiter::kCommunication;
  kernels[0].verdict.decided = true;
  kernels[1].total_ns = 300;
  kernels[1].verdict.decided = true;
  kernels[1].verdict.source = Source::kPmSamples;
  kernels[2].total_ns = 100;
  const VerdictCoverage coverage = analyzer::CoverVerdicts(kernels);
  CHECK(coverage.share == Approx(0.75));
  CHECK(coverage.pm_samples == Approx(0.75));
  CHECK(coverage.duration == 0);
  CHECK(coverage.later == 0);
  kernels[2].comes_again = true;
  CHECK(analyzer::CoverVerdicts(kernels).later == 0);  // nothing samples it
  kernels[2].continuous["dram"] = {};
  CHECK(analyzer::CoverVerdicts(kernels).later == Approx(0.25));
}

}  // namespace
}  // namespace prof::report::test::kernel_text_test
