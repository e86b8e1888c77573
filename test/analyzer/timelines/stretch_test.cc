// SPDX-License-Identifier: Apache-2.0
//
// Stretches of simulated runs: where they are, what they cost, and what the actions make of them.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "test/analyzer/timelines/simulated_run.h"
#include "test/support/catch.h"

namespace prof::test::stretch_test {
namespace {

constexpr int64_t kUs = 1'000, kMs = 1'000'000;

class Program {
 public:
  void Good(int64_t ms) {
    for (int64_t i = 0; i < ms; ++i) run_.Kernel(gemm_);
  }
  // Waits behind each kernel, for about so long; `work_ns` of the host behind each wait.
  void Bad(int64_t ms, const std::string& range = "", int64_t kernel_ns = 10 * kUs) {
    const SimulatedKernel small = run_.Plan("small", kernel_ns);
    run_.SyncDevice();
    const int64_t each_ns = kernel_ns + run_.machine().wake_up + run_.machine().launch_call +
                            run_.machine().event_call + run_.machine().arrival;
    for (int64_t i = 0; i < ms * kMs / each_ns; ++i) {
      if (!range.empty()) run_.Enter(range);
      run_.Kernel(small);
      run_.SyncStream();
      if (!range.empty()) run_.Leave();
    }
  }
  Report Analyzed() { return run_.Analyzed(); }

 private:
  SimulatedRun run_{11};
  SimulatedKernel gemm_ = run_.Plan("gemm", kMs);
};

std::vector<Finding> Stretches(const Report& report) {
  std::vector<Finding> found;
  std::copy_if(report.findings.begin(), report.findings.end(), std::back_inserter(found),
               [](const Finding& finding) { return finding.id == "idle-stretch"; });
  return found;
}

std::string Evidence(const Finding& finding) {
  std::string text;
  for (const std::string& line : finding.evidence) text += line + '\n';
  return text;
}

TEST_CASE("A stretch has its times, its cause, its range and its cost") {
  Program p;
  p.Good(1'000);
  p.Bad(120, "evaluate");
  p.Good(2'000);
  const Report report = p.Analyzed();
  const std::vector<Finding> found = Stretches(report);
  REQUIRE(found.size() == 1);
  const Finding& finding = found[0];
  INFO(finding.title << '\n' << Evidence(finding));
  CHECK_THAT(finding.title, Catch::StartsWith("From 1."));
  CHECK_THAT(finding.title, Catch::Contains("because the host waits before it launches more."));
  CHECK_THAT(Evidence(finding), Catch::Contains("in range evaluate"));
  CHECK_THAT(Evidence(finding), Catch::Contains("at cudaStreamSynchronize"));
  REQUIRE(finding.stretch);
  CHECK(finding.stretch->cause == GapCause::kSync);
  const double length_ns = finding.stretch->end_ns - finding.stretch->begin_ns;
  CHECK(length_ns == Approx(120e6).epsilon(0.2));
  CHECK(finding.gain_at_most_ns >= 0.3 * length_ns);
  CHECK(finding.gain_at_most_ns <= length_ns);
  CHECK(finding.kind == GainKind::kIdleTime);
}

TEST_CASE("Stretches with one cause are one finding, named by the one that costs most") {
  Program p;
  p.Good(2'000);
  p.Bad(70);
  p.Good(1'000);
  p.Bad(110);
  p.Good(2'000);
  const std::vector<Finding> found = Stretches(p.Analyzed());
  REQUIRE(found.size() == 1);
  INFO(found[0].title << '\n' << Evidence(found[0]));
  CHECK(found[0].stretch->begin_ns > 3'000e6);
  CHECK_THAT(Evidence(found[0]), Catch::Contains("in 1 other stretch: 2."));
  CHECK(found[0].gain_at_most_ns > 0.3 * 170e6);
}

TEST_CASE("A stretch of 40 ms, or of less than 1 % of the run, is none") {
  for (const bool is_short : {true, false}) {
    Program p;
    p.Good(is_short ? 1'000 : 9'000);
    p.Bad(is_short ? 40 : 75);
    p.Good(1'000);
    INFO(is_short);
    CHECK(Stretches(p.Analyzed()).empty());
  }
}

TEST_CASE("Idle time of less than 30 % of a stretch is no finding") {
  Program p;
  p.Good(2'000);
  p.Bad(150, "", 60 * kUs);
  p.Good(1'000);
  CHECK(Stretches(p.Analyzed()).empty());
}

TEST_CASE("A stretch beside the finding about the same cause in the whole run is not named") {
  Program p;
  p.Good(300);
  p.Bad(120);
  const Report report = p.Analyzed();
  CHECK(std::any_of(report.findings.begin(), report.findings.end(),
                    [](const Finding& finding) { return finding.id == "sync-bound"; }));
  CHECK(Stretches(report).empty());
}

TEST_CASE("The action against a stretch names its times, and takes no more than its cause has") {
  Program p;
  p.Good(1'000);
  p.Bad(120);
  p.Good(2'000);
  const Report report = p.Analyzed();
  const auto action =
      std::find_if(report.actions.begin(), report.actions.end(),
                   [](const RankedAction& one) { return one.action.id == "idle-stretch"; });
  REQUIRE(action != report.actions.end());
  CHECK_THAT(action->target, Catch::StartsWith("the run from 1."));
  double idle_ns = 0;
  for (const GapSummary& gap : report.gaps) idle_ns += gap.total_ns;
  REQUIRE(action->saves_at_most_ns);
  CHECK(*action->saves_at_most_ns > 0);
  CHECK(*action->saves_at_most_ns <= idle_ns);
}

}  // namespace
}  // namespace prof::test::stretch_test
