// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/pm_course.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "lib/format/triage_metrics.h"
#include "test/support/catch.h"

namespace prof::analyzer::pm_course_test {
namespace {

constexpr int64_t kSampleNs = 5'000, kLaunchNs = 200'000, kDistanceNs = 230'000;
constexpr int64_t kOffsetNs = 700;  // the samples' clock is ahead

// Launches of one kernel, one after the other, and samples all the time: the first half of each
// launch has 80 percent, the second 20.
struct Program {
  explicit Program(int64_t launches = 3, int64_t launch_ns = kLaunchNs) {
    series.metrics = {"FBSP.TriageCompute.dramc__throughput.avg.pct_of_peak_sustained_elapsed",
                      "lts__t_requests_srcunit_tex.avg.per_cycle_elapsed"};
    rows.metrics = {0, 1};
    rows.sample_ns = kSampleNs;
    PmEntity kernel;
    kernel.group = 0;
    kernel.mean_ns = static_cast<double>(launch_ns);
    work.entities.push_back(kernel);
    for (int64_t i = 0; i < launches; ++i) {
      work.intervals.push_back({i * kDistanceNs, i * kDistanceNs + launch_ns, 0});
    }
    for (int64_t at_ns = 0; at_ns < launches * kDistanceNs; at_ns += kSampleNs) {
      const int64_t inside_ns = at_ns % kDistanceNs;
      series.begin_ns.push_back(at_ns + kOffsetNs);
      series.end_ns.push_back(at_ns + kSampleNs + kOffsetNs);
      series.samples.push_back(1);
      series.values.push_back(inside_ns < launch_ns / 2 ? 80 : 20);
      series.values.push_back(1);
      rows.use.push_back(inside_ns < launch_ns ? RowUse::kAlone : RowUse::kIdle);
    }
  }
  LaunchCourse Course() const { return FindCourses(series, work, rows, kOffsetNs).at(0); }

  model::PmSeries series;
  PmWork work;
  PmRows rows;
};

TEST_CASE("The course of a launch has the mean of each of its parts") {
  const LaunchCourse course = Program().Course();
  REQUIRE(course.parts() == 16);
  CHECK(course.part_ns == kLaunchNs / 16.0);
  CHECK(course.launches == 3);
  CHECK(course.samples == 3 * kLaunchNs / kSampleNs);
  REQUIRE(course.units.size() == 1);  // a rate is no use of a unit
  CHECK(course.units[0].name == "DRAM");
  const std::vector<double>& dram = course.units[0].percent;
  REQUIRE(dram.size() == 16);
  for (size_t part = 0; part < 16; ++part) CHECK(dram[part] == (part < 8 ? 80 : 20));
}

TEST_CASE(
    "A launch of four to eight samples has four parts, and one of less than three no course") {
  CHECK(Program(6, 10 * kSampleNs).Course().parts() == 5);
  CHECK(Program(6, 8 * kSampleNs).Course().parts() == 4);
  CHECK(Program(6, 4 * kSampleNs).Course().parts() == 4);
  CHECK(Program(6, 3 * kSampleNs).Course().parts() == 3);
  CHECK(Program(6, 2 * kSampleNs).Course().empty());
}

TEST_CASE("A launch of a tenth of a second or more has eight parts, a burst of triage in each") {
  constexpr int64_t kLongNs = 200'000'000;
  Program program(0);
  program.work.entities[0].mean_ns = kLongNs;
  program.work.intervals.push_back({0, kLongNs, 0});
  for (int64_t part = 0; part < 7; ++part) {  // of the last one it is not known
    for (int64_t i = 0; i < 64; ++i) {
      const int64_t at_ns = part * kLongNs / 8 + 5'000'000 + i * kSampleNs;
      program.series.begin_ns.push_back(at_ns + kOffsetNs);
      program.series.end_ns.push_back(at_ns + kSampleNs + kOffsetNs);
      program.series.samples.push_back(1);
      program.series.values.push_back(part < 4 ? 80 : 20);
      program.series.values.push_back(1);
      program.rows.use.push_back(RowUse::kAlone);
    }
  }
  const LaunchCourse course = program.Course();
  REQUIRE(course.parts() == 8);
  CHECK(course.units[0].percent[3] == 80);
  CHECK(course.units[0].percent[4] == 20);
  CHECK(std::isnan(course.units[0].percent[7]));
}

TEST_CASE("Only samples that lie within a launch, and in which it ran alone, are of its course") {
  Program program;
  for (size_t row = 0; row < program.rows.use.size(); ++row) {
    program.series.begin_ns[row] += kSampleNs / 2;  // the last one of a launch ends behind it
    program.series.end_ns[row] += kSampleNs / 2;
  }
  CHECK(program.Course().samples == 3 * (kLaunchNs / kSampleNs - 1));
  program.rows.use.assign(program.rows.use.size(), RowUse::kConcurrent);
  CHECK(program.Course().empty());
}

TEST_CASE("A part with fewer than three samples has no value, and many such parts no course") {
  Program program(2);  // two or three samples of a launch in each part
  LaunchCourse course = program.Course();
  REQUIRE_FALSE(course.empty());
  // Of the part that begins at 12.5 us: three samples of the first launch, one of the second.
  for (const size_t row : {2, 3, 4, 48}) program.rows.use[row] = RowUse::kSkip;
  course = program.Course();
  REQUIRE_FALSE(course.empty());
  CHECK(std::isnan(course.units[0].percent[1]));
  CHECK(course.units[0].percent[0] == 80);
  CHECK(Program(1).Course().empty());
}

TEST_CASE("Copies have no course") {
  Program program;
  program.work.entities[0].group = model::kNoIndex;
  CHECK(program.Course().empty());
}

}  // namespace
}  // namespace prof::analyzer::pm_course_test
