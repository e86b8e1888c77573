// SPDX-License-Identifier: Apache-2.0
#include "lib/export/writers/chrome.h"

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "test/export/example_recording.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::exporting::chrome_test {
namespace {

nlohmann::json Parsed() {
  const nlohmann::json trace =
      nlohmann::json::parse(test::Exported(ExportFormat::kChrome), nullptr, false);
  REQUIRE(trace.is_object());
  return trace;
}

std::vector<nlohmann::json> Of(const nlohmann::json& trace, const std::string& phase,
                               const std::string& category) {
  std::vector<nlohmann::json> found;
  for (const nlohmann::json& event : trace["traceEvents"]) {
    if (event["ph"] == phase && event.value("cat", "") == category) found.push_back(event);
  }
  return found;
}

TEST_CASE("A kernel has the names that readers of Kineto's traces look for") {
  const std::vector<nlohmann::json> kernels = Of(Parsed(), "X", "kernel");
  REQUIRE(kernels.size() == 4);
  const nlohmann::json& kernel = kernels[0];
  CHECK(kernel["name"] == "saxpy(float*)");
  CHECK(kernel["ts"] == 19.0);  // the recording began at 1 us
  CHECK(kernel["dur"] == 10.0);
  CHECK(kernel["pid"] == 0);
  CHECK(kernel["tid"] == 7);
  const nlohmann::json& args = kernel["args"];
  CHECK(args["stream"] == 7);
  CHECK(args["device"] == 0);
  CHECK(args["queued"] == 0);
  CHECK(args["grid"] == nlohmann::json({132, 2, 1}));
  CHECK(args["registers per thread"] == 40);
  CHECK(args["shared memory"] == 3072);
  CHECK(args["blocks per SM"] == 2.0);
  CHECK(args["sm__throughput.avg.pct_of_peak_sustained_elapsed"] == 40.0);
  CHECK(args.contains("limiter"));
}

TEST_CASE("Calls have no versions, and an arrow leads from each to its operation") {
  const nlohmann::json trace = Parsed();
  std::map<std::string, int> calls;
  for (const nlohmann::json& call : Of(trace, "X", "cuda_runtime")) ++calls[call["name"]];
  CHECK(calls["cudaLaunchKernel"] == 4);
  CHECK(calls["cudaDeviceSynchronize"] == 1);
  std::map<int, int> arrows;
  for (const nlohmann::json& begin : Of(trace, "s", "ac2g")) ++arrows[begin["id"].get<int>()];
  for (const nlohmann::json& end : Of(trace, "f", "ac2g")) {
    CHECK(end["bp"] == "e");
    --arrows[end["id"].get<int>()];
  }
  CHECK(arrows.size() == 6);
  for (const auto& [id, open] : arrows) CHECK(open == 0);
}

TEST_CASE("The rank is written as HTA looks for it") {
  const std::string text = test::Exported(ExportFormat::kChrome);
  std::smatch match;
  REQUIRE(std::regex_search(text, match, std::regex("\"rank\":\\s+(\\d+)")));
  CHECK(match[1] == "3");
}

TEST_CASE("A copy has its bytes and its rate, a range its path") {
  const nlohmann::json trace = Parsed();
  const nlohmann::json copy = Of(trace, "X", "gpu_memcpy").at(0);
  CHECK(copy["name"] == "Memcpy HtoD (Pageable -> Device)");
  CHECK(copy["args"]["bytes"] == 4096);
  CHECK(copy["args"]["memory bandwidth (GB/s)"] == 1.024);
  CHECK(Of(trace, "X", "gpu_memset").at(0)["args"]["bytes"] == 512);
  CHECK(Of(trace, "X", "user_annotation").at(0)["args"]["path"] == "step");
  CHECK(Of(trace, "C", "hardware_counters").size() == 3);
}

TEST_CASE("A range is on each stream from its first operation to its last, with those within") {
  test::SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {1}, {32});
  b.Range("step", 10'000, 90'000);
  b.Range("step/inner", 30'000, 60'000);
  b.Range("empty", 95'000, 99'000);
  test::Launch how;
  const auto launch = [&](int64_t call_ns, int64_t start_ns, uint32_t stream) {
    how.api_start_ns = call_ns;
    how.api_end_ns = call_ns + 1'000;
    how.stream = stream;
    b.Kernel(shape, "", start_ns, start_ns + 5'000, how);
  };
  launch(5'000, 100'000, 7);  // in no range
  launch(20'000, 110'000, 7);
  launch(40'000, 120'000, 7);
  launch(50'000, 130'000, 9);
  launch(80'000, 140'000, 7);
  ExportOptions options;
  options.format = ExportFormat::kChrome;
  const nlohmann::json trace = nlohmann::json::parse(test::Exported(b.Snapshot(), options));
  std::map<std::string, std::pair<double, double>> work;  // by range and stream
  double begin_us = 0;
  for (const nlohmann::json& kernel : Of(trace, "X", "kernel")) {
    if (begin_us == 0) begin_us = kernel["ts"].get<double>();
  }
  for (const nlohmann::json& range : Of(trace, "X", "gpu_user_annotation")) {
    CHECK(range["pid"] == 0);
    work[range["name"].get<std::string>() + " " + std::to_string(range["tid"].get<int>())] = {
        range["ts"].get<double>() - begin_us, range["dur"].get<double>()};
  }
  CHECK(work ==
        std::map<std::string, std::pair<double, double>>{
            {"step 7", {10, 35}}, {"step 9", {30, 5}}, {"inner 7", {20, 5}}, {"inner 9", {30, 5}}});
}

TEST_CASE("Allocated memory is a counter of each GPU, in bytes") {
  test::SnapshotBuilder b;
  b.Kernel(b.Shape("k", {1}, {32}), "", 100'000, 110'000);
  b.Allocate(0x1000, 3'000, "", 20'000);
  b.Allocate(0x2000, 500, "", 30'000);
  b.Free(0x1000, 40'000);
  ExportOptions options;
  options.format = ExportFormat::kChrome;
  const nlohmann::json trace = nlohmann::json::parse(test::Exported(b.Snapshot(), options));
  const auto levels = Of(trace, "C", "memory");
  REQUIRE(levels.size() == 3);
  CHECK(levels.at(0)["pid"] == "GPU 0 Memory");
  CHECK(levels.at(0)["args"]["bytes"] == 3'000);
  CHECK(levels.at(1)["args"]["bytes"] == 3'500);
  CHECK(levels.at(2)["args"]["bytes"] == 500);
  CHECK(levels.at(2)["ts"].get<double>() - levels.at(0)["ts"].get<double>() == 20);
}

TEST_CASE("What prof, CUPTI and the driver did is on tracks of a process of its own") {
  test::SnapshotBuilder b;
  b.Kernel(b.Shape("k", {1}, {32}), "", 100'000, 110'000);
  b.Overhead("driver compiler", 20'000, 50'000);
  b.Profiler(model::ProfilerWork::kSample, 60'000, 80'000);
  ExportOptions options;
  options.format = ExportFormat::kChrome;
  nlohmann::json trace = nlohmann::json::parse(test::Exported(b.Snapshot(), options));
  auto work = Of(trace, "X", "overhead");
  REQUIRE(work.size() == 2);
  CHECK(work[0]["name"] == "driver compiler");
  CHECK(work[1]["name"] == "prof: sample");
  CHECK(work[1]["dur"] == 20.0);
  CHECK(work[1]["pid"] == -1);
  options.to_ns = 55'000;
  trace = nlohmann::json::parse(test::Exported(b.Snapshot(), options));
  CHECK(Of(trace, "X", "overhead").size() == 1);
}

}  // namespace
}  // namespace prof::exporting::chrome_test
