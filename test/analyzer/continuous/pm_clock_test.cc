// SPDX-License-Identifier: Apache-2.0
//
// How far the samples' clock is ahead: planted, found again, or taken from other samples.
#include <cmath>
#include <cstdint>
#include <vector>

#include "lib/analyzer/continuous/continuous.h"
#include "lib/analyzer/continuous/pm_window_offset.h"
#include "test/analyzer/continuous/pm_plant.h"
#include "test/support/catch.h"

namespace prof::pm_clock_test {
namespace {

using Catch::Contains;
using test::AddAll;
using test::CheckFound;
using test::PlantedKernel;
using test::PlantOptions;
using test::PmPlant;
using test::TenKernels;

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kStart = 1'000'000;

TEST_CASE("Clocks that move against each other during the recording are reported", "[long]") {
  PmPlant plant;
  PlantOptions options;
  options.clock_offset_ns = 2000;
  options.clock_drift_ns = 7000;
  const std::vector<PlantedKernel> kernels = TenKernels();
  plant.Loop(AddAll(kernels, &plant), kStart, kStart + 2 * kSecond, 3000, options);
  plant.Sample(0, kStart + 2 * kSecond, options);
  const PmPlant::Answer answer = plant.Attribute();
  const ContinuousReport& report = answer.continuous.reports[0];
  CHECK_FALSE(report.clock_stable);
  REQUIRE_FALSE(report.notes.empty());
  CHECK_THAT(report.notes[0], Contains("moved against each other"));
  CHECK(report.clock_error_ns > 3000);
  REQUIRE(report.clock_first_ns.has_value());
  REQUIRE(report.clock_last_ns.has_value());
  CHECK(std::abs(*report.clock_first_ns - (2000 + 7000 / 6.0)) < 1000);
  CHECK(std::abs(*report.clock_last_ns - (2000 + 7000 * 5 / 6.0)) < 1000);
}

TEST_CASE("Samples that do not change with the operations give no offset of the clock") {
  PmPlant plant;
  PlantOptions options;
  options.clock_offset_ns = 3000;
  const uint32_t a = plant.Kernel({"a", 30'000, {50}});
  plant.Loop({a}, 0, kSecond / 5, 0, options);
  plant.Sample(0, kSecond / 5, options);
  const PmPlant::Answer answer = plant.Attribute();
  const ContinuousReport& report = answer.continuous.reports[0];
  CHECK_FALSE(report.clock_known);
  CHECK(std::abs(report.clock_offset_ns + 900) < 50);  // the usual one
  CHECK(report.clock_error_ns > 1100);
  CHECK_FALSE(report.clock_first_ns.has_value());
  CHECK_FALSE(report.clock_last_ns.has_value());
  CheckFound(answer.Of("a"), 50, 0.5);
}

TEST_CASE("Samples without an offset of their own use that of others of their device", "[long]") {
  const bool dull_is_longer = GENERATE(false, true);  // and then it is looked at first
  INFO("the dull series is the longer one: " << dull_is_longer);
  PmPlant plant;
  PlantOptions options, elsewhere;
  options.clock_offset_ns = 3000;
  elsewhere.device = 1;
  const uint32_t dull = plant.Kernel({"dull", 30'000, {50}});
  const int64_t dull_ns = dull_is_longer ? kSecond * 3 / 5 : kSecond / 5;
  plant.Loop({dull}, 0, dull_ns, 0, options);
  plant.Sample(0, dull_ns, options);
  options.interval_ns = 200'000;  // a series of its own
  const std::vector<PlantedKernel> kernels = TenKernels();
  plant.Loop(AddAll(kernels, &plant), 4 * kSecond, 5 * kSecond, 3000, options);
  plant.Sample(4 * kSecond, 5 * kSecond, options);
  plant.Loop({dull}, 0, kSecond / 5, 0, elsewhere);
  plant.Sample(0, kSecond / 5, elsewhere);
  const PmPlant::Answer answer = plant.Attribute();
  REQUIRE(answer.continuous.reports.size() == 3);  // in the order of the recording
  const ContinuousReport& one = answer.continuous.reports[0];
  const ContinuousReport& other = answer.continuous.reports[1];
  CHECK(one.interval_ns == 100'000);
  CHECK(other.clock_known);
  CHECK_FALSE(other.clock_from_other);
  CHECK(std::abs(other.clock_offset_ns - 3000) <= other.clock_error_ns);
  CHECK(one.clock_known);
  CHECK(one.clock_from_other);
  CHECK(one.clock_offset_ns == other.clock_offset_ns);
  CHECK(one.clock_error_ns == other.clock_error_ns);
  CHECK_FALSE(one.clock_first_ns.has_value());
  REQUIRE(one.notes.size() == 2);
  CHECK_THAT(one.notes[0], Contains("other samples of this GPU"));
  CHECK_THAT(one.notes[1], Contains("not of the run"));
  REQUIRE(other.notes.size() == 1);
  CHECK_THAT(other.notes[0], Contains("Samples were taken in 20 % of the span"));
  CHECK_FALSE(answer.continuous.reports[2].clock_known);  // another GPU has another clock
}

// Offsets of windows, each with the same deviation.
std::vector<analyzer::PmWindowOffset> Windows(const std::vector<double>& offsets) {
  std::vector<analyzer::PmWindowOffset> windows;
  for (const double ns : offsets) windows.push_back({ns, 200, 0});
  return windows;
}

TEST_CASE("The offset of many windows is their median, and a stray one does not move it") {
  const analyzer::PmMedianOffset even =
      analyzer::MedianOffset(Windows({-900, -1000, -1100, -1050, -950}));
  CHECK(even.ns == -1000);
  CHECK(even.error_ns > 50);
  CHECK(even.error_ns < 200);
  const analyzer::PmMedianOffset stray =
      analyzer::MedianOffset(Windows({-900, -1000, -1100, -1050, 7000}));
  CHECK(stray.ns == -1000);
  CHECK(stray.error_ns < 400);
}

TEST_CASE("The offset of windows that differ is less exact") {
  const double narrow = analyzer::MedianOffset(Windows({-900, -1000, -1100, -800})).error_ns;
  const double wide = analyzer::MedianOffset(Windows({-500, -1000, -1500, 0})).error_ns;
  CHECK(wide > 3 * narrow);
}

TEST_CASE("Windows that differ by more than chance count less") {
  CHECK(analyzer::Dispersion(Windows({-900, -1000, -1100, -950})) == 1);
  CHECK(analyzer::Dispersion(Windows({-200, -1000, -1800, -600, -1400})) > 5);
}

TEST_CASE("A line through windows has their drift, and a stray one does not turn it") {
  std::vector<analyzer::PmWindowOffset> windows;
  for (int i = 0; i <= 12; ++i) windows.push_back({i * 500.0 + i % 2 * 50, 100, i * kSecond});
  windows[3].ns = -8000;
  const analyzer::PmOffsetLine line = analyzer::LineThrough(windows);
  CHECK(std::abs(line.first_ns - 1000) < 100);
  CHECK(std::abs(line.last_ns - 5000) < 100);
  CHECK(line.spread < 0.1);
  for (int i = 0; i <= 12; ++i) windows[i].ns = i % 3 * 500.0;
  CHECK(analyzer::LineThrough(windows).spread > 0.4);
}

TEST_CASE("One window alone has no error, and is no offset") {
  CHECK(std::isinf(analyzer::MedianOffset(Windows({-900})).error_ns));
}

}  // namespace
}  // namespace prof::pm_clock_test
