// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "lib/report/json.h"
#include "lib/report/text/sections/whole_run_section.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::whole_run_test {
namespace {

using test::Contains;

Report WithWholeRun() {
  Report report;
  WholeRun run;
  run.windows = 31;
  run.span_ns = 30e9;
  run.traced_ns = 3.1e9;
  run.launches = 5'000'000;
  run.launches_without = 12;
  run.kernels_time = {20e9, 0.4e9};
  WholeRunKernel gemm;
  gemm.name = "gemm";
  gemm.grid = {132, 1, 1};
  gemm.block = {256, 1, 1};
  gemm.launches = 1'000'000;
  gemm.traced = 100'000;
  gemm.time = EstimatedTime{15e9, 0.3e9};
  WholeRunKernel once = gemm;
  once.name = "once";
  once.launches = 10;
  once.traced = 2;
  once.time = EstimatedTime{5e9, std::nullopt};
  WholeRunKernel unseen = gemm;
  unseen.name = "unseen";
  unseen.launches = 12;
  unseen.traced = 0;
  unseen.time.reset();
  run.kernels = {gemm, once, unseen};
  report.whole_run = run;
  return report;
}

std::string Text(const Report& report, const TextOptions& options) {
  std::ostringstream out;
  report::WriteWholeRun(out, report, options);
  return out.str();
}

TEST_CASE("The whole run has a row for each kernel, its error, and how much was traced") {
  const std::string text = Text(WithWholeRun(), {});
  CHECK_THAT(text, Contains("The whole run, estimated: kernels 20.0 s"));
  CHECK_THAT(text, Contains("gemm") && Contains("1,000,000") && Contains("15.0 us"));
  CHECK_THAT(text, Contains("2.0 %"));  // of gemm and of all
  CHECK_THAT(text, Contains("75 %"));   // of the time
  CHECK_THAT(text, Contains("31 windows") && Contains("3.10 s of the 30.0 s"));
  CHECK_THAT(text, Contains("Of 5,000,000") && Contains("launches 12 are"));
  const std::string once = text.substr(text.find("once"), 80);
  CHECK_THAT(once, Contains("-"));
}

TEST_CASE("A recording of all of the time has no such section") { CHECK(Text({}, {}).empty()); }

TEST_CASE("The whole run in JSON has null where nothing is known") {
  std::ostringstream out;
  WriteJson(out, WithWholeRun());
  const nlohmann::json run = nlohmann::json::parse(out.str())["whole_run"];
  CHECK(run["windows"] == 31);
  CHECK(run["kernels_time"]["error_ns"] == 0.4e9);
  CHECK(run["kernels"][0]["estimate"]["time_ns"] == 15e9);
  CHECK(run["kernels"][1]["estimate"]["error_ns"].is_null());
  CHECK(run["kernels"][2]["estimate"].is_null());
  std::ostringstream without;
  WriteJson(without, Report());
  CHECK_FALSE(nlohmann::json::parse(without.str()).contains("whole_run"));
}

}  // namespace
}  // namespace prof::whole_run_test
