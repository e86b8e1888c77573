// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/check.h"

#include <sstream>
#include <string>

#include "test/compare/runs.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::compare::check_test {
namespace {

using test::Around;
using test::Contains;
using test::Runs;

Comparison With(double time_ns) { return Compare(Runs(Around(100e3)), Runs(Around(time_ns), 100)); }

TEST_CASE("Where nothing was tested the check is open, and says so") {
  const Comparison nothing;
  CHECK(StatusOf(nothing) == kOpen);
  std::ostringstream junit, github;
  WriteJunit(junit, nothing);
  WriteGithub(github, nothing);
  CHECK(junit.str().find("nothing was tested") != std::string::npos);
  CHECK(github.str().find("nothing was tested") != std::string::npos);
}

TEST_CASE("The exit status is 0 for fine, 1 for a regression, 3 for too few runs") {
  CHECK(StatusOf(With(100e3)) == 0);
  CHECK(StatusOf(With(80e3)) == 0);
  CHECK(StatusOf(With(120e3)) == 1);
  CHECK(StatusOf(Compare(Runs({100e3}), Runs({120e3}, 9))) == 3);
  Comparison refused;
  refused.error = "the devices differ";
  CHECK(StatusOf(refused) == 3);
}

// One run of each side, with the same time.
Comparison WithWork(double instructions) {
  const auto run = [](double value, uint32_t pid) {
    return test::Run({test::With(test::Kernel("saxpy", 100e3), test::kInstructions, value)}, pid);
  };
  return Compare({run(1e6, 1)}, {run(instructions, 2)});
}

constexpr FailOn kWork = {false, true}, kAny = {true, true};

TEST_CASE("More work fails where it is asked for, and the time alone by default") {
  CHECK(StatusOf(WithWork(1.2e6)) == kOpen);  // one run
  CHECK(StatusOf(WithWork(1.2e6), kWork) == kRegression);
  CHECK(StatusOf(WithWork(1.2e6), kAny) == kRegression);
  CHECK(StatusOf(WithWork(1e6), kWork) == kFine);
  CHECK(StatusOf(WithWork(0.5e6), kWork) == kFine);
  CHECK(StatusOf(WithWork(1e6), kAny) == kOpen);  // the time is
  CHECK(StatusOf(With(120e3), kAny) == kRegression);
  CHECK(StatusOf(With(120e3), kWork) == kOpen);  // no counter
  CHECK(StatusOf(Comparison(), kWork) == kOpen);
}

TEST_CASE("JUnit has a test of the work where it can fail") {
  std::ostringstream work, any, time;
  WriteJunit(work, WithWork(1.2e6), kWork);
  CHECK_THAT(work.str(), Contains("tests=\"1\" failures=\"1\"") &&
                             Contains("name=\"saxpy: work\"><failure type=\"more-work\"") &&
                             Contains("it does more work: 1.20 times the instructions"));
  WriteJunit(any, With(100e3), kAny);
  CHECK_THAT(any.str(), Contains("name=\"saxpy: work\"><skipped message=") &&
                            Contains("name=\"saxpy\"><system-out>"));
  WriteJunit(time, WithWork(1.2e6));
  CHECK_THAT(time.str(), !Contains("saxpy: work") && !Contains("more-work"));
}

TEST_CASE("More work is an annotation: an error where it fails, else a notice") {
  std::ostringstream notice, error;
  WriteGithub(notice, WithWork(1.2e6));
  CHECK_THAT(notice.str(), Contains("::notice title=saxpy in step does more work::it does more"));
  WriteGithub(error, WithWork(1.2e6), kWork);
  CHECK_THAT(error.str(), Contains("::error title=saxpy%3A work in step is more::it does more") &&
                              !Contains("::notice"));
}

TEST_CASE("JUnit has a failure for what is slower, and escaped names") {
  std::vector<Report> before = Runs(Around(100e3)), after = Runs(Around(120e3), 100);
  for (std::vector<Report>* side : {&before, &after}) {
    for (Report& report : *side) {
      report.kernels[0].name = report.kernels[0].full_name = "gemm<float, \"x\" & y>";
    }
  }
  std::ostringstream out;
  WriteJunit(out, Compare(before, after));
  CHECK_THAT(out.str(), Contains("<testsuite name=\"prof check\" tests=\"3\" failures=\"3\"") &&
                            Contains("name=\"gemm&lt;float, &quot;x&quot; &amp; y&gt;\"") &&
                            Contains("<failure type=\"slower\" message=\"100 us -&gt; 120 us"));
  std::ostringstream open;
  WriteJunit(open, Compare(Runs({100e3}), Runs({120e3}, 9)));
  CHECK_THAT(open.str(), Contains("failures=\"0\"") && Contains("<skipped message="));
}

TEST_CASE("Annotations have one line each") {
  std::ostringstream out;
  WriteGithub(out, With(120e3));
  CHECK_THAT(out.str(), Contains("::error title=saxpy in step is slower::100 us -> 120 us") &&
                            Contains("%0A") && Contains(" %25"));
  CHECK_THAT(out.str(), !Contains("::warning"));
  std::ostringstream fine;
  WriteGithub(fine, With(100e3));
  CHECK(fine.str().empty());
}

}  // namespace
}  // namespace prof::compare::check_test
