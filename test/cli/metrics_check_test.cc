// SPDX-License-Identifier: Apache-2.0
//
// The metrics of prof run --metrics before the program starts.
#include "lib/cli/metrics/metrics_check.h"

#include <unistd.h>

#include <string>
#include <vector>

#include "lib/cli/base/child_answer.h"
#include "test/cli/program.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::test::metrics_check_test {
namespace {

TEST_CASE("A metric that the GPU does not have is a problem with the names that are near") {
  cupti::CatalogueAnswer answer;
  answer.chip_source = "of GPU 0";
  CHECK(cli::CheckOf(answer).problem.empty());
  CHECK(cli::CheckOf(answer).not_checked.empty());
  answer.left_out = {"nosuch: no such metric on GH100; nearest: dram__bytes", "b: needs a suffix"};
  const cli::MetricsCheck check = cli::CheckOf(answer);
  CHECK(check.problem ==
        "nosuch: no such metric on GH100; nearest: dram__bytes; b: needs a suffix");
  CHECK(check.not_checked.empty());
}

TEST_CASE("Without a GPU, and without CUPTI, metrics are not checked, and that has its reason") {
  cupti::CatalogueAnswer answer;
  answer.chip_source = "assumed: there is no NVIDIA driver here";
  answer.left_out = {"nosuch: no such metric on GH100"};  // of a chip that may not be the program's
  CHECK(cli::CheckOf(answer).problem.empty());
  CHECK(cli::CheckOf(answer).not_checked == "there is no NVIDIA driver here");
  answer = {};
  answer.error = "CUPTI was not found";
  CHECK(cli::CheckOf(answer).not_checked == "CUPTI was not found");
}

TEST_CASE("prof run --metrics refuses a name that is none, or prints that nobody could look") {
  const Folder folder;
  for (const char* counters : {"none", "auto"}) {
    const Ended ended = Prof(
        RunLine({"--counters", counters, "--metrics", "nosuch"}, {"echo", "ran"}), folder.path());
    INFO(ended.err);
    if (ended.exit_code() == 2) {
      CHECK_THAT(ended.err, Contains("--metrics: nosuch: no such metric") &&
                                Contains("prof metrics --search"));
      CHECK(ended.out.empty());
    } else {
      CHECK_THAT(ended.err, Contains("the names of --metrics were not checked: "));
      CHECK(ended.out == "ran\n");
    }
  }
  const Ended variable = Prof(RunLine({}, {"echo", "ran"}), folder.path(), {"PROF_METRICS=nosuch"});
  CHECK(variable.out == "ran\n");
  CHECK_THAT(variable.err, !Contains("--metrics"));
}

TEST_CASE("A child's answer is whole or none") {
  const std::string large(1'000'000, 'x');
  CHECK((cli::ChildAnswer([&] { return large; }, 60'000) == large));
  CHECK(cli::ChildAnswer([] { return std::string(); }, 60'000) == "");
  CHECK(cli::ChildAnswer([]() -> std::string { _exit(1); }, 60'000) == std::nullopt);
}

}  // namespace
}  // namespace prof::test::metrics_check_test
