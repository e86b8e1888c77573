// SPDX-License-Identifier: Apache-2.0
//
// PM samples in the reports: over time, of kernels and ranges, and what has no value.
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "lib/report/csv.h"
#include "lib/report/info.h"
#include "lib/report/json.h"
#include "lib/report/text/details/kernel_detail.h"
#include "lib/report/text/text.h"
#include "test/report/contains.h"
#include "test/report/example_report.h"
#include "test/support/catch.h"

namespace prof::continuous_test {
namespace {

using test::Contains;

constexpr const char* kDram =
    "FBSP.TriageCompute.dramc__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kTensor =
    "TPC.TriageCompute.sm__pipe_tensor_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed";

Report Sampled() {
  Report report = test::ExampleReport();
  ContinuousValue found;
  found.value = 83.14;
  found.error = 1.21;
  found.seconds = 0.0071;
  found.samples = 120;
  ContinuousValue missing;
  missing.seconds = 0.0003;
  missing.missing = "only 300 us of it were sampled";
  report.kernels[0].continuous = {{kDram, found}, {kTensor, missing}};
  report.rows[0].continuous = {{kDram, found}};

  ContinuousReport device;
  device.interval_ns = 100'000;
  device.samples = 1'200;
  device.span_ns = 12'345'678;
  device.covered = 0.97;
  device.bucket_ns = 102'881;
  device.clock_known = true;
  device.clock_offset_ns = 2'950;
  device.clock_error_ns = 310;
  device.clock_first_ns = 2'800;
  device.clock_last_ns = 3'100;
  device.concurrent_share = 0.04;
  device.notes = {"4.0 % of the samples with work are left out."};
  ContinuousMetric dram{kDram, 41.2, 0, 44, 91.5, 99.2, {}};
  for (int i = 0; i < 120; ++i) dram.buckets.push_back(i < 60 ? 0 : i < 110 ? 99 : std::nan(""));
  ContinuousMetric tensor{kTensor, 5, 0, 5, 9, 10, std::vector<double>(120, 50)};
  device.metrics = {dram, tensor};
  report.continuous = {device};
  report.pm_samples_lost = 77;
  return report;
}

std::string Text(const Report& report, TextOptions options = {}) {
  options.details = true;
  std::ostringstream out;
  WriteText(out, report, options);
  return out.str();
}

std::string LineWith(const std::string& text, const std::string& part) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.find(part) != std::string::npos) return line;
  }
  return "";
}

TEST_CASE("The speed of light over time has one line of levels for each metric") {
  const std::string text = Text(Sampled());
  CHECK_THAT(text, Contains("Speed of light over time, GPU 0") &&
                       Contains("1,200 samples every 100 us, 97 % of 12.3 ms; 77 lost") &&
                       Contains("3.0 +-0.3 us ahead") && Contains("are left out"));
  const std::string dram = LineWith(text, "  dramc__throughput  ");
  CHECK_THAT(dram, Contains("41.2") && Contains("0.0 to 91.5") && Contains("99.2"));
  // Half of it nothing, then nearly all, then no sample.
  const std::string levels = dram.substr(dram.find('|') + 1, dram.rfind('|') - dram.find('|') - 1);
  REQUIRE(levels.size() >= 20);
  CHECK(levels.front() == '.');
  CHECK(levels[levels.size() * 3 / 4] == '@');
  CHECK(levels.back() == ' ');
  CHECK_THAT(LineWith(text, "sm__pipe_tensor_cycles_active_realtime"), Contains("|++++"));
}

TEST_CASE("The lines over time fit any terminal, and use blocks on request for UTF-8") {
  for (const int width : {80, 100, 120, 200}) {
    TextOptions options;
    options.width = width;
    std::istringstream in(Text(Sampled(), options));
    for (std::string line; std::getline(in, line);) {
      CHECK(static_cast<int>(line.size()) <= width);
    }
  }
  TextOptions utf8;
  utf8.utf8 = true;
  CHECK_THAT(Text(Sampled(), utf8), Contains("|\u2581\u2581") && Contains("\u2588"));
}

TEST_CASE("A report without PM samples does not speak of them") {
  CHECK_THAT(Text(test::ExampleReport()), !Contains("over time") && !Contains("PM samples"));
}

TEST_CASE("A kernel's detail has each value with its bound, or the reason why there is none") {
  std::ostringstream out;
  WriteKernelDetail(out, Sampled().kernels[0]);
  CHECK_THAT(out.str(), Contains("While it ran, by PM samples") && Contains("83.14") &&
                            Contains("1.210") && Contains("no value: only 300 us of it"));
}

TEST_CASE("The JSON has series, values with bounds, and null for what is not known") {
  std::ostringstream out;
  WriteJson(out, Sampled());
  const nlohmann::json json = nlohmann::json::parse(out.str());
  const auto& series = json["continuous"][0];
  CHECK(series["samples"] == 1'200);
  CHECK(series["clock_offset_ns"] == 2'950);
  CHECK(series["clock_first_ns"] == 2'800);
  CHECK(series["clock_last_ns"] == 3'100);
  CHECK(series["metrics"][kDram]["p95"] == 91.5);
  CHECK(series["metrics"][kDram]["buckets"].size() == 120);
  CHECK(series["metrics"][kDram]["buckets"][119].is_null());
  CHECK(json["kernels"][0]["continuous"][kDram]["value"] == 83.14);
  CHECK(json["kernels"][0]["continuous"][kDram]["error"] == 1.21);
  CHECK(json["kernels"][0]["continuous"][kTensor]["value"].is_null());
  CHECK(json["kernels"][0]["continuous"][kTensor]["error"].is_null());
  CHECK(json["rows"][0]["continuous"][kDram]["samples"] == 120);
  CHECK(json["pm_samples_lost"] == 77);
}

TEST_CASE("The JSON has null for clocks that were not compared") {
  Report report = Sampled();
  report.continuous[0].clock_first_ns = report.continuous[0].clock_last_ns = std::nullopt;
  std::ostringstream out;
  WriteJson(out, report);
  const nlohmann::json json = nlohmann::json::parse(out.str());
  CHECK(json["continuous"][0].at("clock_first_ns").is_null());
  CHECK(json["continuous"][0].at("clock_last_ns").is_null());
}

TEST_CASE("The CSV has a column for each PM metric and one for its error bound") {
  std::ostringstream out;
  WriteCsv(out, Sampled());
  std::istringstream in(out.str());
  std::string header, first, second;
  std::getline(in, header);
  std::getline(in, first);
  std::getline(in, second);
  const std::string dram(kDram), tensor(kTensor);
  CHECK_THAT(header, Contains(",continuous " + dram + ",continuous error " + dram + ",continuous " +
                              tensor + ",continuous error " + tensor));
  CHECK(first.substr(first.size() - 13) == ",83.14,1.21,,");
  CHECK(second.substr(second.size() - 4) == ",,,,");
}

TEST_CASE("Info lists each series with its interval, samples and metrics") {
  model::Model model;
  model::PmSeries series;
  series.device = 2;
  series.interval_ns = 100'000;
  series.metrics = {kDram, kTensor};
  series.begin_ns = {0, 100'000};
  series.end_ns = {100'000, 1'000'000};
  series.samples = {1, 9};
  series.values = {1, 2, 3, 4};
  model.pm_series.push_back(series);
  model.integrity.pm_samples_lost = 3;
  std::ostringstream out;
  WriteInfo(out, model, 420, {});
  CHECK_THAT(out.str(), Contains("PM sampling") && Contains("100 us") && Contains("1.00 ms") &&
                            Contains("dramc__throughput") && Contains("LOST  PM samples: 3"));
}

}  // namespace
}  // namespace prof::continuous_test
