// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "lib/report/base/strings.h"
#include "lib/report/json.h"
#include "lib/report/text/sections/steps_section.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::steps_test {
namespace {

using test::Contains;

StepReport OneStep(int64_t index, double duration_ns) {
  StepReport step;
  step.index = index;
  step.name = "step " + std::to_string(index);
  step.duration_ns = duration_ns;
  step.busy_ns = 0.8 * duration_ns;
  step.idle_ns = 0.2 * duration_ns;
  step.idle = {{GapCause::kHostWork, step.idle_ns}};
  step.path = {{StepPathKind::kKernel, duration_ns}};
  return step;
}

// Two steps that count, and one that does not.
Report WithSteps() {
  Report report;
  StepsReport& steps = report.steps;
  steps.wanted = true;
  steps.range = "step * (3 ranges)";
  steps.steps = {OneStep(0, 90e6), OneStep(1, 10e6), OneStep(2, 30e6)};
  steps.steps[0].left_out = "no step before it";
  steps.steps[2].outlier = true;
  steps.steps[2].surplus = {"idle: host-work", 4e6};
  steps.counted = 2;
  steps.duration_ns = {2, 20e6, 10e6, 30e6, 40e6};
  steps.parts = {{StepPart::kForward, 12e6, 30e6, 28e6, 2e6, 31e6},
                 {StepPart::kCommunication, 0, 6e6, 0, 0, 0}};
  steps.path = {{StepPathKind::kHost, 8e6}, {StepPathKind::kKernel, 32e6}};
  StepPathItem gemm;
  gemm.kind = StepPathKind::kKernel;
  gemm.what = "a_kernel_with_a_name_that_is_much_too_long_for_a_narrow_terminal";
  gemm.where = "step * (3 ranges)/forward";
  gemm.part = StepPart::kForward;
  gemm.limiter = Limiter::kDram;
  gemm.limiters = {{Limiter::kDram, 32e6}};
  gemm.count = 64;
  gemm.time_ns = 32e6;
  StepPathItem host;
  host.what = "host code";
  host.where = "aten::mm, before /home/me/train.py:42";
  host.count = 2;
  host.time_ns = 8e6;
  steps.items = {gemm, host};
  steps.off_path = {{StepPathKind::kCommunication, "ncclDevKernel_AllReduce", 6e6, 0}};
  steps.edges = {10, 2, 0};
  steps.not_recorded = {"Which event a stream waits for is not recorded: 2 times."};
  return report;
}

std::string Text(const Report& report, int width) {
  TextOptions options;
  options.width = width;
  std::ostringstream out;
  report::WriteSteps(out, report, options);
  return out.str();
}

TEST_CASE("The text of steps has their times, parts, path and what is off it") {
  const std::string text = Text(WithSteps(), 200);
  CHECK_THAT(text, Contains("n = 2, median 20.0 ms, shortest 10.0 ms, longest 30.0 ms."));
  CHECK_THAT(text, !Contains("p90"));
  CHECK_THAT(text, Contains("1 step is left out: no step before it."));
  CHECK_THAT(text, Contains("forward        15.0 ms  14.0 ms"));
  CHECK_THAT(text, Contains("kernels 80 % (dram 80 %), host code 20 %."));
  CHECK_THAT(text, Contains("before /home/me/train.py:42"));
  CHECK_THAT(text, Contains("ncclDevKernel_AllReduce, 3.00 ms a step"));
  CHECK_THAT(text, Contains("Which event a stream waits for is not recorded"));
}

TEST_CASE("Time by limiter is that of each signature, and a row of several is marked") {
  Report report = WithSteps();
  CHECK_THAT(Text(report, 200), !Contains("dram*"));
  report.steps.items[0].limiters = {{Limiter::kDram, 24e6}, {Limiter::kLatency, 8e6}};
  const std::string text = Text(report, 200);
  CHECK_THAT(text, Contains("kernels 80 % (dram 60 %, latency 20 %), host code 20 %."));
  CHECK_THAT(text, Contains("narrow_terminal (dram*)"));
  CHECK_THAT(text, Contains("*: the limiter of most of its time; --kernel shows all of its sig"));
}

TEST_CASE("A warning stands in front of everything else about steps") {
  Report report = WithSteps();
  CHECK_THAT(Text(report, 200), !Contains("Warning"));
  report.steps.warning = "The steps that count have 0.5 % of the time.";
  CHECK(Text(report, 200).rfind("\nSteps\nWarning: The steps that count have 0.5 %", 0) == 0);
}

TEST_CASE("No kind of time is 100 % of the path beside another one") {
  Report report = WithSteps();
  report.steps.path = {{StepPathKind::kHost, 0.1e6}, {StepPathKind::kKernel, 39.9e6}};
  CHECK_THAT(Text(report, 200), Contains("kernels 99.8 % (") && Contains("host code 0.2 %."));
}

TEST_CASE("The slowest steps come first, with what they have more of; those left out come last") {
  const std::string text = Text(WithSteps(), 200);
  const size_t outlier = text.find("! 1.50x"), other = text.find("0.50x");
  const size_t left_out = text.find("90.0 ms");
  REQUIRE(outlier != text.npos);
  CHECK(outlier < other);
  CHECK(other < left_out);
  CHECK_THAT(text, Contains("idle: host-work +4.00 ms"));
}

TEST_CASE("No line of the steps is wider than the terminal") {
  for (const int width : {80, 100, 200}) {
    std::istringstream lines(Text(WithSteps(), width));
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK(report::DisplayWidth(line) <= width);
    }
  }
}

TEST_CASE("Steps that do not count have a table, and no mean") {
  Report report = WithSteps();
  report.steps.counted = 0;
  report.steps.duration_ns = {};
  const std::string text = Text(report, 120);
  CHECK_THAT(text, Contains("The slowest steps"));
  CHECK_THAT(text, !Contains("What a step consists of"));
  CHECK_THAT(text, !Contains("nan"));
}

TEST_CASE("JSON has the steps where they were asked for, and null for what is not known") {
  std::ostringstream with, without;
  Report report = WithSteps();
  report.steps.warning = "They are few.";
  WriteJson(with, report);
  WriteJson(without, Report());
  CHECK_FALSE(nlohmann::json::parse(without.str()).contains("steps"));
  const nlohmann::json steps = nlohmann::json::parse(with.str())["steps"];
  CHECK(steps["p90_ns"].is_null());
  CHECK(steps["steps"].size() == 3);
  CHECK(steps["steps"][1]["surplus"].is_null());
  CHECK(steps["steps"][2]["surplus"]["what"] == "idle: host-work");
  CHECK(steps["items"][0]["limiter"] == "dram");
  CHECK(steps["items"][0]["limiters"][0]["time_ns"] == 32e6);
  CHECK(steps["items"][1]["limiter"].is_null());
  CHECK(steps["items"][1]["limiters"].empty());
  CHECK(steps["counted_share"].is_null());
  CHECK(steps["warning"] == "They are few.");
  CHECK(steps["edges"]["by_time"] == 2);
}

TEST_CASE("Steps that launches tell say so, have numbers for names, and name other phases") {
  Report report = WithSteps();
  StepsReport& steps = report.steps;
  steps.range = "57 launches that repeat";
  steps.by_launches = true;
  steps.other_phases = {{"4 launches that repeat", 300, 3.21e9, 4.6e9}};
  for (StepReport& step : steps.steps) step.name.clear();
  std::ostringstream out;
  report::WriteSteps(out, report, {});
  std::string text = out.str();
  std::replace(text.begin(), text.end(), '\n', ' ');
  CHECK_THAT(text, Contains("No NVTX range repeats. A step is one turn of 57 launches that repeat "
                            "on one thread. It lasts from"));
  CHECK_THAT(text, Contains("The run has other phases: 4 launches that repeat, 300 times from 3.21 "
                            "s to 4.60 s."));
  CHECK_THAT(text, Contains("#2 "));
  std::ostringstream written;
  WriteJson(written, report);
  const nlohmann::json json = nlohmann::json::parse(written.str())["steps"];
  CHECK(json["by_launches"] == true);
  CHECK(json["other_phases"][0]["steps"] == 300);
  CHECK(json["steps"][2]["name"] == "");
}

}  // namespace
}  // namespace prof::steps_test
