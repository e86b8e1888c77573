// SPDX-License-Identifier: Apache-2.0
//
// Steps of simulated programs without NVTX ranges: what the report has of them.
#include <algorithm>
#include <string>

#include "test/analyzer/timelines/simulated_run.h"
#include "test/support/catch.h"

namespace prof::test::launch_steps_test {
namespace {

constexpr int64_t kUs = 1'000;

// Steps of three kernels, each with a value that the host reads; each 40th has an evaluation.
Report Training(bool ranges) {
  SimulatedRun run(3);
  const SimulatedKernel forward = run.Plan("forward", 120 * kUs);
  const SimulatedKernel backward = run.Plan("backward", 200 * kUs);
  const SimulatedKernel update = run.Plan("update", 60 * kUs), score = run.Plan("score", 150 * kUs);
  for (int i = 0; i < 200; ++i) {
    if (ranges) run.Enter("step");
    for (const SimulatedKernel& k : {forward, backward, update}) run.Kernel(k);
    for (int k = 0; k < 10 && i % 40 == 19; ++k) run.Kernel(score);
    run.Copy(model::CopyKind::kDeviceToHost, 4, true, true);
    if (ranges) run.Leave();
  }
  return run.Analyzed({/*steps=*/true});
}

const Finding* Get(const Report& report, const std::string& id) {
  const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                  [&](const Finding& finding) { return finding.id == id; });
  return found == report.findings.end() ? nullptr : &*found;
}

std::string Evidence(const Finding& finding) {
  std::string text;
  for (const std::string& line : finding.evidence) text += line + '\n';
  return text;
}

TEST_CASE("Long steps are named without ranges, with what they did more, and how they are known") {
  const Report report = Training(false);
  const Finding* const outliers = Get(report, "outlier-steps");
  REQUIRE(outliers != nullptr);
  CHECK(outliers->title == "5 of 198 steps (by launches) take more than 2 times the median.");
  CHECK(outliers->confidence == Confidence::kMedium);
  CHECK_THAT(Evidence(*outliers), Catch::Contains("beyond the other steps they have score 7."));
  CHECK_THAT(Evidence(*outliers), Catch::Contains("(50 more)"));
  CHECK_THAT(Evidence(*outliers), Catch::Contains("no NVTX range repeats: a step is one turn of 4 "
                                                  "launches that repeat"));
}

TEST_CASE("A range that repeats tells the steps, whatever launches do") {
  const Report report = Training(true);
  const Finding* const outliers = Get(report, "outlier-steps");
  REQUIRE(outliers != nullptr);
  CHECK(outliers->title == "5 of 198 steps take more than 2 times the median.");
  CHECK(outliers->confidence == Confidence::kHigh);
  CHECK_THAT(Evidence(*outliers), Catch::Contains("beyond the other steps they have score 7."));
  CHECK_FALSE(report.steps.by_launches);
}

TEST_CASE("The table has the same steps by launches as by ranges") {
  const StepsReport launches = Training(false).steps, ranges = Training(true).steps;
  CHECK(launches.by_launches);
  CHECK(launches.range == "4 launches that repeat");
  REQUIRE(launches.steps.size() == ranges.steps.size());
  CHECK(launches.counted == ranges.counted);
  for (size_t i = 2; i < launches.steps.size(); ++i) {
    INFO(i);
    CHECK(launches.steps[i].name.empty());
    CHECK(launches.steps[i].operations == ranges.steps[i].operations);
    CHECK(launches.steps[i].outlier == ranges.steps[i].outlier);
    CHECK(launches.steps[i].duration_ns == Approx(ranges.steps[i].duration_ns).epsilon(0.02));
  }
}

TEST_CASE("The other phases of a program are beside the steps of the longest one") {
  SimulatedRun run(4);
  const SimulatedKernel a = run.Plan("a", 100 * kUs), b = run.Plan("b", 100 * kUs);
  const SimulatedKernel large = run.Plan("large", 500 * kUs);
  for (int i = 0; i < 100; ++i) {
    run.Kernel(a);
    run.Kernel(b);
    run.SyncStream();
  }
  for (int i = 0; i < 90; ++i) {
    run.Kernel(large);
    run.SyncStream();
  }
  const StepsReport steps = run.Analyzed({/*steps=*/true}).steps;
  CHECK(steps.range == "1 launch that repeats");
  CHECK(steps.steps.size() == 90);
  REQUIRE(steps.other_phases.size() == 1);
  CHECK(steps.other_phases[0].range == "2 launches that repeat");
  CHECK(steps.other_phases[0].steps == 100);
  CHECK(steps.other_phases[0].begin_ns < steps.other_phases[0].end_ns);
  CHECK(steps.other_phases[0].end_ns <= steps.steps[0].begin_ns);
}

TEST_CASE("A program whose launches do not repeat has no steps, and the way to some") {
  SimulatedRun run(5);
  for (int i = 0; i < 200; ++i) {
    run.Kernel(run.Plan("k" + std::to_string(run.Draw(0, 4)), 100 * kUs));
  }
  const StepsReport steps = run.Analyzed({/*steps=*/true}).steps;
  CHECK_FALSE(steps.by_launches);
  CHECK(steps.steps.empty());
  CHECK(steps.missing ==
        "no range is entered 3 times or more on one thread, and no launches repeat: put an NVTX "
        "range around each step");
}

}  // namespace
}  // namespace prof::test::launch_steps_test
