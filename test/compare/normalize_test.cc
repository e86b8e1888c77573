// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/normalize.h"

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "lib/compare/limit.h"
#include "lib/text/strings.h"
#include "test/compare/runs.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::compare::normalize_test {
namespace {

using test::Around;
using test::Contains;
using test::Kernel;
using test::Run;

KernelReport Limited(Limiter limiter, double time_ns = 100e3) {
  KernelReport kernel = Kernel("saxpy", time_ns);
  kernel.verdict.limiter = limiter;
  kernel.verdict.decided = limiter != Limiter::kUnknown && limiter != Limiter::kNotMeasured;
  return kernel;
}

KernelReport Mixed(Unit one, Unit other) {
  KernelReport kernel = Limited(Limiter::kMixed);
  kernel.units.resize(2);
  kernel.units[0].unit = one;
  kernel.units[1].unit = other;
  return kernel;
}

KernelReport WithCeiling(KernelReport kernel, const char* level, double per_s, const char* from) {
  RooflineLevel& added = kernel.roofline.levels.emplace_back();
  added.level = level;
  added.ceiling_bytes_per_s = per_s;
  added.ceiling = from;
  return kernel;
}

// A device with twice the SMs, 1.1 times the clock and 1.5 times the DRAM bandwidth of the other.
std::vector<Report> On(bool large, const KernelReport& kernel, uint32_t pid) {
  Report report = Run({kernel}, pid);
  DeviceReport& device = report.devices[0];
  device.name = large ? "Large" : "Small";
  device.sm_count = large ? 132 : 66;
  device.sm_clock_hz = test::Median(large ? 1.98e9 : 1.8e9);
  device.dram_peak_bytes_per_s = large ? 4.5e12 : 3e12;
  return {report};
}

Comparison Across(const KernelReport& before, const KernelReport& after) {
  CompareOptions options;
  options.across = true;
  Comparison comparison = Compare(On(false, before, 1), On(true, after, 2), options);
  REQUIRE(comparison.error.empty());
  REQUIRE(comparison.kernels.size() == 1);
  REQUIRE(comparison.kernels[0].normalized.has_value());
  return comparison;
}

Normalization NormalizedBy(const KernelReport& before, const KernelReport& after) {
  const Comparison comparison = Across(before, after);
  const Normalization& normalized = *comparison.kernels[0].normalized;
  CHECK(comparison.kernels[0].time.ratio.value == Approx(normalized.factor));
  return normalized;
}

Normalization NormalizedBy(Limiter limiter) {
  return NormalizedBy(Limited(limiter), Limited(limiter));
}

TEST_CASE("Across devices a kernel is scaled by what limits it") {
  const Normalization dram = NormalizedBy(Limiter::kDram);
  CHECK(dram.by == "DRAM bandwidth");
  CHECK(dram.factor == Approx(1.5));
  CHECK(NormalizationText(dram) ==
        "normalized by DRAM bandwidth: x 1.500 (4.50 TB/s over 3.00 TB/s, peaks)");
  for (const Limiter limiter : {Limiter::kTensor, Limiter::kFma, Limiter::kIssue, Limiter::kL1}) {
    CHECK(NormalizedBy(limiter).by == "SM clock x SMs");
    CHECK(NormalizedBy(limiter).factor == Approx(2.2));
  }
  for (const Limiter limiter : {Limiter::kLatency, Limiter::kOccupancy, Limiter::kSmallGrid}) {
    CHECK(NormalizedBy(limiter).by == "SM clock");
    CHECK(NormalizedBy(limiter).factor == Approx(1.1));
  }
}

TEST_CASE("What no device scales is not normalized, and has the reason") {
  const auto why = [](const Normalization& normalized) {
    CHECK(normalized.factor == 1);
    CHECK(normalized.by.empty());
    return NormalizationText(normalized);
  };
  CHECK(why(NormalizedBy(Limiter::kLaunchSized)) == "not normalized: it is launch-sized");
  CHECK(why(NormalizedBy(Limiter::kCommunication)) == "not normalized: it waits for other ranks");
  CHECK(why(NormalizedBy(Limiter::kUnknown)) ==
        "not normalized: what limits it is not known before");
  CHECK(why(NormalizedBy(Limited(Limiter::kDram), Limited(Limiter::kNotMeasured))) ==
        "not normalized: what limits it is not known after");
  CHECK_THAT(why(NormalizedBy(Limiter::kTail)), Contains("its last wave of blocks"));
  CHECK_THAT(why(NormalizedBy(Limiter::kL2)), Contains("is not known on both sides"));
}

TEST_CASE("Two limits scale a kernel where both give one factor") {
  const Normalization apart = NormalizedBy(Limited(Limiter::kDram), Limited(Limiter::kFma));
  CHECK(apart.factor == 1);
  CHECK_THAT(apart.why, Contains("DRAM bandwidth by 1.500, SM clock x SMs by 2.200") &&
                            Contains("Its limit is dram before and fma after"));
  CHECK(NormalizedBy(Mixed(Unit::kTensor, Unit::kShared), Mixed(Unit::kTensor, Unit::kShared)).by ==
        "SM clock x SMs");
  CHECK(NormalizedBy(Mixed(Unit::kDram, Unit::kTensor), Mixed(Unit::kDram, Unit::kTensor))
            .by.empty());
  CHECK(NormalizedBy(Limited(Limiter::kTensor), Limited(Limiter::kIssue)).by == "SM clock x SMs");
}

TEST_CASE("Measured ceilings are used where both sides have one, and L2 needs the same kind") {
  const auto with = [](Limiter limiter, const char* level, double per_s, const char* from) {
    return WithCeiling(Limited(limiter), level, per_s, from);
  };
  const KernelReport measured = with(Limiter::kDram, "dram", 2e12, "measured: dram-read, n=5");
  const KernelReport more = with(Limiter::kDram, "dram", 4e12, "measured: dram-read, n=5");
  const KernelReport peak = with(Limiter::kDram, "dram", 4.5e12, "peak of the chip");
  CHECK(NormalizedBy(measured, more).factor == Approx(2));
  CHECK_THAT(NormalizedBy(measured, more).why, Contains("both measured"));
  CHECK(NormalizedBy(measured, peak).factor == Approx(1.5));  // the peaks of the devices
  const KernelReport l2 = with(Limiter::kL2, "l2", 5e12, "peak of the chip");
  CHECK(NormalizedBy(l2, with(Limiter::kL2, "l2", 6e12, "peak of the chip")).factor == Approx(1.2));
  CHECK(NormalizedBy(l2, with(Limiter::kL2, "l2", 6e12, "measured: l2, n=5")).by.empty());
}

TEST_CASE("The clock of a kernel in the run goes before that of its counted launches") {
  KernelReport before = Limited(Limiter::kFma), after = Limited(Limiter::kFma);
  before.clock.run_hz = test::Median(1.5e9);
  CHECK(NormalizedBy(before, after).factor == Approx(2.2));
  after.clock.run_hz = test::Median(1.5e9);
  CHECK(NormalizedBy(before, after).factor == Approx(2));
}

TEST_CASE("The limit of a side is that of most of its runs") {
  const KernelReport dram = Limited(Limiter::kDram), fma = Limited(Limiter::kFma);
  const KernelReport none = Limited(Limiter::kNotMeasured);
  CHECK(LimitOf({&dram, &dram, &fma}).limiter == Limiter::kDram);
  CHECK(LimitOf({&dram, &fma}).limiter == Limiter::kUnknown);
  CHECK(LimitOf({&none, &dram, &none}).limiter == Limiter::kDram);
  CHECK(LimitOf({&none}).limiter == Limiter::kNotMeasured);
  CHECK(LimiterOf("small-grid") == Limiter::kSmallGrid);
  CHECK(LimiterOf("what a later version has") == Limiter::kNotMeasured);
  CHECK(UnitsOf({"dram", "tensor", "?"}) == std::vector<Unit>{Unit::kDram, Unit::kTensor});
}

TEST_CASE("The text has by what each kernel was normalized, and one note on all of them") {
  const Comparison comparison = Across(Limited(Limiter::kDram), Limited(Limiter::kDram));
  REQUIRE(comparison.notes.size() == 1);
  CHECK_THAT(comparison.notes[0],
             Contains("the devices differ") && Contains("(kernels: 1 by DRAM bandwidth)"));
  std::ostringstream text, json;
  WriteComparison(text, comparison, 200, true);
  CHECK_THAT(text.str(), Contains("normalized by DRAM bandwidth: x 1.500"));
  WriteComparisonJson(json, comparison);
  CHECK_THAT(json.str(), Contains("\"by\": \"DRAM bandwidth\""));
  CHECK_THAT(Across(Limited(Limiter::kUnknown), Limited(Limiter::kUnknown)).notes.at(0),
             Contains("1 not normalized"));
}

TEST_CASE("On one device nothing is normalized") {
  const Comparison comparison =
      Compare(On(false, Limited(Limiter::kDram), 1), On(false, Limited(Limiter::kDram, 101e3), 2));
  CHECK_FALSE(comparison.kernels.at(0).normalized.has_value());
  CHECK(comparison.notes.empty());
  std::ostringstream text;
  WriteComparison(text, comparison, 200, true);
  CHECK_THAT(text.str(), !Contains("normalized"));
}

}  // namespace
}  // namespace prof::compare::normalize_test
