// SPDX-License-Identifier: Apache-2.0
//
// Expectations inside Catch2's assertions: what passes, and what a failing line prints.
#include "prof/catch.h"

#include <cstdlib>

#include "test/expect/kernels.h"
#include "test/support/catch.h"

namespace prof::catch_test {
namespace {

// What Catch2 would print for REQUIRE_THAT(subject, expectation).
template <typename Subject>
std::string Printed(const Subject& subject, const Expectation& expectation) {
  expectation.match(subject);
  return Catch::Detail::stringify(subject) + ' ' + expectation.toString();
}

TEST_CASE("Expectations are matchers, alone and combined, on kernels and on reports") {
  REQUIRE_THAT(test::Saxpy(), ReachesDram(0.80));
  REQUIRE_THAT(test::Saxpy(), ReachesDram(0.80) && OccupancyAtLeast(0.5));
  REQUIRE_THAT(test::Saxpy(), !ReachesL2(0.80) && (ReachesL2(0.80) || ReachesDram(0.80)));
  REQUIRE_THAT(test::ReportOf(test::Saxpy()), IsBoundBy(Limiter::kDram));
}

TEST_CASE("What was not measured fails a matcher, negated or not") {
  CHECK_FALSE(ReachesDram(0.0).match(test::WithoutCounters()));
  CHECK_FALSE((!ReachesDram(0.0)).match(test::WithoutCounters()));
}

TEST_CASE("A failing assertion prints the kernel, the expectation and the evidence") {
  CHECK(Printed(test::Saxpy(), OccupancyAtLeast(0.75)) ==
        "kernel saxpy (20 launches) has an achieved occupancy of at least 75.0 %\n"
        "achieved occupancy 50.0 %, expected at least 75.0 %\n"
        "  theoretical 100.0 %\n"
        "  verdict: dram, confidence high: DRAM is at 91.2 % of its peak\n"
        "  - 4.4 TB/s of 4.8 TB/s");
  CHECK(Printed(test::WithoutCounters(), ReachesDram(0.8)) ==
        "kernel saxpy (20 launches) reaches 80.0 % of the peak of DRAM\n"
        "not measured: the use of DRAM\n"
        "  no counter sample: the driver restricts counters to administrators");
}

TEST_CASE("A use with a wide error bound is not measured, above and below the limit") {
  KernelReport kernel = test::Saxpy();
  for (UnitUse& use : kernel.units) use.error = 0.2;
  for (const double limit : {0.8, 0.95}) {
    CHECK(Printed(kernel, ReachesDram(limit))
              .find("not measured: the use of DRAM (PM samples have it within +-20.0 %: record for "
                    "longer)") != std::string::npos);
  }
  for (UnitUse& use : kernel.units) use.error = 0.02;
  CHECK(ReachesDram(0.8).match(kernel));
  CHECK_FALSE(ReachesDram(0.95).match(kernel));
}

TEST_CASE("A kernel that was never launched is printed as none") {
  KernelReport none;
  none.verdict.missing = "no kernel named 'saxpi'; there are: saxpy";
  CHECK(Printed(none, ReachesDram(0.8)) ==
        "no kernel reaches 80.0 % of the peak of DRAM\n"
        "not measured: the use of DRAM\n"
        "  no kernel named 'saxpi'; there are: saxpy");
}

void SkipOrNote(const Report& report, bool* reached_end) {
  PROF_SKIP_UNLESS_MEASURED(report);
  *reached_end = true;
}

TEST_CASE("A measured report, and one without an excuse, is not skipped") {
  bool measured = false, unexcused = false;
  SkipOrNote(test::ReportOf(test::Saxpy()), &measured);
  SkipOrNote(test::ReportOf(test::WithoutCounters()), &unexcused);
  CHECK(measured);
  CHECK(unexcused);
}

// Hidden: run by a CTest of its own, which looks at what it prints.
TEST_CASE("A report without permission for counters is skipped", "[.skip]") {
  Report report = test::ReportOf(test::WithoutCounters());
  report.notices.push_back({"error", "counters", "no permission", "run as root"});
  PROF_SKIP_UNLESS_MEASURED(report);
  FAIL("reached the end");
}

// Hidden: run by a CTest of its own, with PROF_REQUIRE_MEASURED set, which looks at what it prints.
TEST_CASE("A test that may not be skipped fails with the reason", "[.required]") {
  Report report = test::ReportOf(test::WithoutCounters());
  report.notices.push_back({"error", "counters", "no permission", "run as root"});
  PROF_SKIP_UNLESS_MEASURED(report);
}

TEST_CASE("Only a value other than 0 forbids to skip") {
  CHECK_FALSE(MustBeMeasured());
  for (const char* value : {"", "0"}) {
    REQUIRE(setenv("PROF_REQUIRE_MEASURED", value, 1) == 0);
    CHECK_FALSE(MustBeMeasured());
  }
  REQUIRE(setenv("PROF_REQUIRE_MEASURED", "1", 1) == 0);
  CHECK(MustBeMeasured());
  REQUIRE(unsetenv("PROF_REQUIRE_MEASURED") == 0);
}

}  // namespace
}  // namespace prof::catch_test
