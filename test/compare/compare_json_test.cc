// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/compare_json.h"

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "lib/compare/baseline.h"
#include "test/compare/runs.h"
#include "test/report/contains.h"
#include "test/support/catch.h"

namespace prof::compare_json_test {
namespace {

using test::Contains;

RunSet Measured(double time_ns = 100e3) {
  std::vector<Report> reports = test::Runs(test::Around(time_ns));
  reports[0].kernels[0] = test::With(reports[0].kernels[0], test::kInstructions, 1e6);
  RunSet runs = Collect(reports);
  SetNoise(&runs);
  return runs;
}

std::string TextOf(const Baseline& baseline) {
  std::ostringstream out;
  WriteBaseline(out, baseline);
  return out.str();
}

TEST_CASE("A baseline is read as it was written") {
  Baseline written;
  written.Update(Measured());
  const Baseline read = ReadBaseline(TextOf(written));
  REQUIRE(read.error.empty());
  CHECK(TextOf(read) == TextOf(written));
  const RunSet* const set = read.Find("NVIDIA H200 (132 SMs)", "580.1");
  REQUIRE(set != nullptr);
  CHECK(set->kernels[0].noise.has_value());
  CHECK(set->kernels[0].metrics.at(test::kInstructions).median == 1e6);
  CHECK(Compare(*set, Collect(test::Runs(test::Around(120e3), 50))).overall() == Change::kSlower);
  CHECK(read.Find("NVIDIA H200 (132 SMs)", "581") == nullptr);
}

TEST_CASE("What is no baseline is an error, not a crash") {
  CHECK_THAT(ReadBaseline("").error, Contains("no baseline"));
  CHECK_THAT(ReadBaseline("[1, 2]").error, Contains("no baseline"));
  CHECK_THAT(ReadBaseline("{\"prof_baseline\": 9, \"sets\": []}").error, Contains("version is 9"));
  CHECK_THAT(ReadBaseline("{\"prof_baseline\": 1, \"sets\": [{}]}").error, Contains("devices"));
  CHECK_THAT(LoadBaseline("/nowhere/b.json").error, Contains("prof baseline write"));
  std::string text = TextOf([] {
    Baseline baseline;
    baseline.Update(Measured());
    return baseline;
  }());
  for (size_t end = 0; end < text.size(); end += 97) {
    CHECK_FALSE(ReadBaseline(std::string_view(text).substr(0, end)).error.empty());
  }
  text.replace(text.find("\"runs\": 7"), 9, "\"runs\": -1");
  CHECK_THAT(ReadBaseline(text).error, Contains("number of runs is -1"));
}

TEST_CASE("The error on what is no baseline has the kind of file, the line and the way out") {
  const auto error_of = [](const std::string& text) {
    const std::string error = ReadBaseline(text).error;
    CHECK_THAT(error, Contains("no baseline of prof") && Contains("`prof baseline write") &&
                          !Contains("json.exception"));
    return error;
  };
  CHECK_THAT(error_of("PROFSNAP\1\2"), Contains("it is a recording"));
  CHECK_THAT(error_of("mine"), Contains("which is JSON"));
  CHECK_THAT(error_of(" \n"), Contains("it is empty"));
  CHECK_THAT(error_of("{\n\"prof_baseline\": 1,\n<<<<<<< HEAD\n}"), Contains("broken in line 3"));
  CHECK_THAT(error_of("{\"prof_baseline\": 1, \"sets\": [{}]}"),
             Contains("(key 'devices' not found)"));
  CHECK_THAT(LoadBaseline("/").error, Contains("cannot read /: it is a folder"));
}

TEST_CASE("A baseline of the same recordings is noted where they are checked with it") {
  Baseline written;
  written.Update(Measured());
  const Baseline read = ReadBaseline(TextOf(written));
  REQUIRE(read.sets.size() == 1);
  const Comparison same = Compare(read.sets[0], Collect(test::Runs(test::Around(100e3))));
  CHECK_THAT(same.notes.at(0), Contains("both sides are the same recordings"));
}

TEST_CASE("An update keeps other devices, and noise that was measured over more runs") {
  Baseline baseline;
  baseline.Update(Measured());
  RunSet other = Measured();
  other.driver = "590";
  baseline.Update(other);
  CHECK(baseline.sets.size() == 2);
  RunSet fewer = Collect(test::Runs({90e3}));
  baseline.Update(fewer);
  CHECK(baseline.sets.size() == 2);
  const RunSet* const set = baseline.Find("NVIDIA H200 (132 SMs)", "580.1");
  REQUIRE(set != nullptr);
  CHECK(set->runs == 1);
  CHECK(set->kernels[0].time_ns[0] == 90e3);
  CHECK(set->kernels[0].noise_runs == 7);
}

TEST_CASE("A comparison as JSON has null for what was not measured") {
  std::ostringstream out;
  WriteComparisonJson(out, Compare(test::Runs({100e3}), test::Runs({110e3}, 9)));
  const nlohmann::json json = nlohmann::json::parse(out.str());
  CHECK(json["schema"] == 1);
  CHECK(json["overall"] == "inconclusive");
  CHECK(json["kernels"][0]["time"]["ratio"] == Approx(1.1));
  CHECK(json["kernels"][0]["time"]["low"].is_null());
  CHECK(json["kernels"][0]["cycles"].is_null());
  CHECK(json["kernels"][0]["matched"] == "same");
}

TEST_CASE(
    "A comparison as JSON has the work of each kernel, and which counters changed for certain") {
  const auto run = [](double value, uint32_t pid) {
    return test::Run({test::With(test::Kernel("saxpy", 100e3), test::kInstructions, value)}, pid);
  };
  std::ostringstream out;
  WriteComparisonJson(out, Compare({run(1e6, 1)}, {run(1.5e6, 2)}));
  const nlohmann::json json = nlohmann::json::parse(out.str());
  CHECK(json["overall_work"] == "more");
  CHECK(json["kernels"][0]["work"]["change"] == "more");
  CHECK(json["kernels"][0]["work"]["ratio"] == Approx(1.5));
  CHECK(json["kernels"][0]["counters"][0]["certain"] == true);
  CHECK(json["kernels"][0]["counters"][0]["spread"] == 0);
  CHECK(json["kernels"][0]["counters"][0]["values"] == 5);
}

TEST_CASE("A baseline has the launches of a counter that one run has, and older ones have none") {
  Baseline written;
  written.Update(Measured());
  const std::string text = TextOf(written);
  CHECK(ReadBaseline(text).sets.at(0).kernels[0].launch_metrics.at(test::kInstructions).n == 5);
  nlohmann::json json = nlohmann::json::parse(text);
  json["sets"][0]["kernels"][0].erase("launch_metrics");
  const Baseline older = ReadBaseline(json.dump());
  CHECK(older.error.empty());
  CHECK(older.sets.at(0).kernels[0].launch_metrics.empty());
}

TEST_CASE("A baseline has what limits each kernel, and an older one does not") {
  std::vector<Report> reports = test::Runs(test::Around(100e3));
  for (Report& report : reports) {
    KernelReport& kernel = report.kernels[0];
    kernel.verdict.limiter = Limiter::kMixed;
    kernel.verdict.decided = true;
    kernel.units.resize(2);
    kernel.units[1].unit = Unit::kTensor;
    report.devices[0].dram_peak_bytes_per_s = 4.8e12;
  }
  Baseline written;
  written.Update(Collect(reports));
  const std::string text = TextOf(written);
  const Baseline read = ReadBaseline(text);
  CHECK(TextOf(read) == text);
  CHECK(read.sets.at(0).dram_peak_bytes_per_s == 4.8e12);
  CHECK(read.sets.at(0).kernels[0].limit.limiter == Limiter::kMixed);
  CHECK(read.sets.at(0).kernels[0].limit.mixed == std::vector<Unit>{Unit::kDram, Unit::kTensor});
  nlohmann::json json = nlohmann::json::parse(text);
  json["sets"][0].erase("dram_peak_bytes_per_s");
  json["sets"][0]["kernels"][0].erase("limit");
  const Baseline older = ReadBaseline(json.dump());
  CHECK(older.error.empty());
  CHECK(older.sets.at(0).kernels[0].limit.limiter == Limiter::kNotMeasured);
}

TEST_CASE("A baseline as text has the noise of each kernel") {
  Baseline baseline;
  baseline.Update(Measured());
  std::ostringstream out;
  compare::WriteBaselineText(out, baseline, 100, 10);
  CHECK_THAT(out.str(),
             Contains("7 runs on NVIDIA H200") && Contains("saxpy") && Contains("0.3 %"));
}

}  // namespace
}  // namespace prof::compare_json_test
