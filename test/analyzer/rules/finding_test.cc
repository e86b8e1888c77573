// SPDX-License-Identifier: Apache-2.0
//
// Runs that have no finding, and what losses withhold.
#include <algorithm>
#include <string>

#include "test/analyzer/rules/finding_run.h"
#include "test/support/catch.h"

namespace prof::test::finding_test {
namespace {

TEST_CASE("A clean run of long kernels back to back has no findings") {
  Run run;
  for (int i = 0; i < 50; ++i) run.Kernel(kUs, GapCause::kDependency, 800 * kUs);
  CHECK(run.Find().empty());
}

TEST_CASE("An empty run has no findings") { CHECK(Run().Find().empty()); }

TEST_CASE("When records were lost a finding about idle time is withheld and claims no gain") {
  Run run = LaunchBoundRun();
  run.model().integrity.dropped_by_cupti = 12;
  for (const Finding& finding : run.Find()) {
    CAPTURE(finding.id);
    CHECK(finding.withheld);
    CHECK(finding.gain_at_most_ns == 0);
    CHECK(finding.confidence == Confidence::kNone);
    CHECK(finding.withheld_why.find("12 records dropped by CUPTI") != std::string::npos);
  }
  CHECK(Get(run.Find(), "launch-bound") != nullptr);
}

TEST_CASE("When another profiler had the records a finding about idle time is withheld") {
  Run run = LaunchBoundRun();
  run.model().integrity.launches_missed = 77;
  REQUIRE_FALSE(run.Find().empty());
  for (const Finding& finding : run.Find()) {
    CHECK(finding.withheld);
    CHECK(finding.withheld_why.find("77 launches whose records another profiler took") !=
          std::string::npos);
  }
}

TEST_CASE("Failed counter samples do not touch findings about idle time") {
  Run run = LaunchBoundRun();
  run.model().integrity.samples_failed = 3;
  const auto findings = run.Find();
  REQUIRE(Get(findings, "launch-bound") != nullptr);
  CHECK_FALSE(Get(findings, "launch-bound")->withheld);
}

TEST_CASE("Dropped range events withhold what rests on ranges, and nothing else") {
  Run run = LaunchBoundRun();
  run.model().integrity.range_events_dropped = 5;
  const auto findings = run.Find();
  REQUIRE(Get(findings, "cuda-graph") != nullptr);
  CHECK(Get(findings, "cuda-graph")->withheld);
  CHECK_FALSE(Get(findings, "launch-bound")->withheld);
}

}  // namespace
}  // namespace prof::test::finding_test
