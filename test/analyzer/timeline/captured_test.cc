// SPDX-License-Identifier: Apache-2.0
//
// Kernels of CUDA graphs by the range in which they were captured, in the report.
#include <algorithm>
#include <sstream>
#include <string>

#include "lib/report/json.h"
#include "lib/report/text/text.h"
#include "prof/analyzer.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::captured_test {
namespace {

using Catch::Contains;
using test::Launch;
using test::SnapshotBuilder;

constexpr char kDram[] = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
constexpr char kWindow[] = "gpu__time_duration.sum";

// A graph of two layers that was captured in "forward" and is launched in "replay".
struct Replayed {
  SnapshotBuilder b;
  uint32_t gemm = b.Shape("gemm", {132}, {256});

  explicit Replayed(int layers = 2) {
    for (int layer = 0; layer < layers; ++layer) {
      b.GraphNode(static_cast<uint64_t>(layer) + 1, "forward/layer " + std::to_string(layer));
    }
  }
  uint32_t Replay(int64_t start_ns, int layers = 2) {
    b.Range("replay", start_ns - 20'000, start_ns + 90'000);
    Launch how;
    how.graph = 7;
    for (int layer = 0; layer < layers; ++layer) {
      how.graph_node = static_cast<uint64_t>(layer) + 1;
      const int64_t begin_ns = start_ns + layer * 10'000;
      how.correlation = b.Kernel(gemm, "", begin_ns, begin_ns + 10'000, how);
      how.no_api = true;
    }
    return how.correlation;
  }
};

const RangeRow* RowOf(const Report& report, const std::string& label) {
  const auto row = std::find_if(report.rows.begin(), report.rows.end(),
                                [&](const RangeRow& r) { return r.label == label; });
  return row == report.rows.end() ? nullptr : &*row;
}

TEST_CASE("A graph's kernels are split by the ranges that they were captured in") {
  Replayed run;
  run.Replay(100'000);
  run.Replay(300'000);
  const Report report = Analyze(run.b.Snapshot());
  REQUIRE(report.kernels.size() == 2);
  for (const KernelReport& kernel : report.kernels) {
    CHECK(kernel.in_graph);
    CHECK(kernel.launches == 2);
    CHECK(kernel.range == "replay > " + kernel.captured_in);
  }
  const RangeRow* row = RowOf(report, "replay > forward/layer 1");
  REQUIRE(row != nullptr);
  CHECK(row->kind == RangeRow::Kind::kRange);
  CHECK(row->time_ns == 20'000);
  CHECK(row->operations == 2);
  CHECK(row->instances == 2);  // of the launch's range
  CHECK(RowOf(report, "replay") == nullptr);
  double rows_ns = 0;
  for (const RangeRow& each : report.rows) rows_ns += each.time_ns;
  CHECK(rows_ns == report.span_ns);

  std::ostringstream text, json;
  TextOptions details;
  details.details = true;
  WriteText(text, report, details);
  CHECK_THAT(text.str(), Contains("captured in forward/layer 1"));
  WriteJson(json, report);
  CHECK_THAT(json.str(), Contains("\"captured_in\": \"forward/layer 0\""));
}

TEST_CASE("Layers that differ in their numbers are one row, as they are without a graph") {
  Replayed run(8);
  run.Replay(100'000, 8);
  const Report report = Analyze(run.b.Snapshot());
  REQUIRE(report.kernels.size() == 1);
  CHECK(report.kernels[0].range == "replay > forward/layer * (8 ranges)");
  CHECK(report.kernels[0].captured_in == "forward/layer * (8 ranges)");
  CHECK(report.kernels[0].launches == 8);
  CHECK(RowOf(report, "replay > forward/layer * (8 ranges)") != nullptr);
}

TEST_CASE("A graph that was counted as a whole is one region, of the range of its launch") {
  Replayed run;
  run.b.GraphSample(run.Replay(100'000), {{kDram, 85}, {kWindow, 22'000}});
  run.Replay(300'000);
  const Report report = Analyze(run.b.Snapshot());
  REQUIRE(report.regions.size() == 1);
  CHECK(report.regions[0].label == "CUDA graph 7 in replay");
  CHECK(report.regions[0].instances == 2);
  CHECK(report.regions[0].duration_ns.median == 20'000);
  REQUIRE(report.regions[0].parts.size() == 1);
  CHECK(report.regions[0].parts[0].per_instance == 2);
  // The rows of its parts quote it.
  const RangeRow* row = RowOf(report, "replay > forward/layer 0");
  REQUIRE(row != nullptr);
  CHECK_THAT(row->evidence, Contains("the graph as a whole"));
}

TEST_CASE("A kernel that was captured where its graph is launched has no other range") {
  SnapshotBuilder b;
  b.GraphNode(1, "step");
  Launch how;
  how.graph = 7;
  how.graph_node = 1;
  b.Kernel(b.Shape("gemm", {132}, {256}), "step", 100'000, 110'000, how);
  const Report report = Analyze(b.Snapshot());
  REQUIRE(report.kernels.size() == 1);
  CHECK(report.kernels[0].range == "step");
  CHECK(report.kernels[0].captured_in.empty());
}

TEST_CASE("Nodes that had no room in the table are counted") {
  SnapshotBuilder b;
  b.Kernel(b.Shape("k", {132}, {256}), "", 100'000, 200'000);
  Integrity counts;
  counts.graph_nodes_dropped = 12;
  CHECK_FALSE(counts.complete());
  b.integrity = counts;
  const Report report = Analyze(b.Snapshot());
  REQUIRE(report.integrity.size() == 1);
  CHECK_THAT(report.integrity[0], Contains("12 nodes of CUDA graphs"));
}

}  // namespace
}  // namespace prof::captured_test
