// SPDX-License-Identifier: Apache-2.0
#include "lib/report/base/kernel_text.h"

#include <vector>

#include "lib/analyzer/decide.h"
#include "lib/analyzer/kernels/roofline.h"
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

// A kernel that L2 limits: 1.9 flop for a byte of L2, and 20 for a byte of DRAM.
Roofline OfL2() {
  Roofline roofline{0.5e12, 4.8e12, 10e12, 20, 60e12, "fp32"};
  roofline.levels = {{"l1", {}, "", {}, 33e12, "peak of the chip"},  // not counted
                     {"l2", 5.2e9, "", 5.2e12, 8e12, "measured: l2, n=5"},
                     {"dram", 0.5e9, "", 0.5e12, 4.8e12, "peak of the chip at the DRAM clock"}};
  analyzer::FindBound(&roofline);
  return roofline;
}

TEST_CASE("A roofline has the rate of each level, and the intensity at the lowest roof above it") {
  CHECK(RooflineText(OfL2()) ==
        "roofline: L2 5.20 TB/s of the measured 8.00 TB/s (65 %); DRAM 500 GB/s of 4.80 TB/s "
        "(10 %); fp32 10.0 Tflop/s of 60.0 Tflop/s (17 %); 1.92 flop/byte of L2, under the L2 roof "
        "(they meet at 7.5): 65 % of it");
}

TEST_CASE("Under the compute roof the intensity is that of DRAM") {
  Roofline roofline = OfL2();
  roofline.levels.erase(roofline.levels.begin(), roofline.levels.begin() + 2);
  roofline.flops_per_s = 30e12;
  roofline.flops_per_byte = 600.25;
  roofline.flop_ceiling = "measured: flops fp32, n=5";
  roofline.attainable_flops_per_s.reset();
  analyzer::FindBound(&roofline);
  REQUIRE(roofline.bound_by == "compute");
  CHECK(RooflineText(roofline) ==
        "roofline: DRAM 500 GB/s of 4.80 TB/s (10 %); fp32 30.0 Tflop/s of the measured 60.0 "
        "Tflop/s (50 %); 600 flop/byte of DRAM, under the compute roof (they meet at 12.5): 50 % "
        "of it");
}

TEST_CASE("Without operations a roofline has the bytes alone, and without bytes the operations") {
  Roofline roofline = OfL2();
  roofline.flops_per_s.reset();
  roofline.flops_per_byte.reset();
  roofline.bound_by.clear();
  CHECK(RooflineText(roofline) ==
        "roofline: L2 5.20 TB/s of the measured 8.00 TB/s (65 %); DRAM 500 GB/s of 4.80 TB/s (10 "
        "%)");
  Roofline flops;
  flops.flops_per_s = 1e12;
  flops.flop_kind = "fp64";
  CHECK(RooflineText(flops) == "roofline: fp64 1.00 Tflop/s");
  CHECK(RooflineText({}).empty());
}

}  // namespace
}  // namespace prof::report::test::kernel_text_test
