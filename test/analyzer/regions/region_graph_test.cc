// SPDX-License-Identifier: Apache-2.0
//
// Launches of CUDA graphs that were recorded as a whole, without their nodes.
#include <functional>
#include <sstream>
#include <string>

#include "lib/report/csv.h"
#include "lib/report/json.h"
#include "lib/snapshot/read/reader.h"
#include "prof/analyzer.h"
#include "prof/snapshot.pb.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::region_graph_test {
namespace {

using Catch::Contains;
using test::Launch;
using test::SnapshotBuilder;

constexpr char kDram[] = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
constexpr char kWindow[] = "gpu__time_duration.sum";

Launch Graph(uint32_t id) {
  Launch how;
  how.graph = id;
  return how;
}

// Graph 7 three times in "decode", 100 us each, graph 8 once in "prefill", a kernel of its own.
struct Replays {
  SnapshotBuilder b;
  uint32_t sampled = 0;
  Replays() {
    for (int i = 0; i < 3; ++i) {
      const int64_t start_ns = 100'000 + i * 200'000;
      sampled = b.GraphRun("decode", start_ns, start_ns + 100'000, Graph(7));
    }
    b.GraphRun("prefill", 700'000, 900'000, Graph(8));
    b.Kernel(b.Shape("k", {132}, {256}), "decode", 950'000, 960'000);
  }
};

TEST_CASE("A graph launch is GPU work: of the span, busy, between gaps, in its range") {
  Replays run;
  const Report report = Analyze(run.b.Snapshot(2));
  REQUIRE(report.error.empty());
  CHECK(report.totals.graphs == 4);
  CHECK(report.totals.kernels == 1);
  CHECK(report.span_ns == 860'000);
  REQUIRE(report.devices.size() == 1);
  CHECK(report.devices[0].busy_ns == 510'000);
  CHECK(report.devices[0].idle_ns == 350'000);
  double rows_ns = 0;
  for (const RangeRow& row : report.rows) {
    rows_ns += row.time_ns;
    if (row.label == "decode") {
      CHECK(row.time_ns == 310'000);
      CHECK(row.operations == 4);
      CHECK(row.dominant == "CUDA graph 7");
    }
  }
  CHECK(rows_ns == report.span_ns);
  REQUIRE_FALSE(report.gaps.empty());
}

TEST_CASE("A graph is a row among the kernels, with its launches and time, and without a limiter") {
  Replays run;
  const Report report = Analyze(run.b.Snapshot());
  REQUIRE(report.kernels.size() == 3);
  const KernelReport& graph = report.kernels[0];
  CHECK(graph.name == "CUDA graph 7");
  CHECK(graph.range == "decode");
  CHECK(graph.whole_graph);
  CHECK(graph.in_graph);
  CHECK(graph.launches == 3);
  CHECK(graph.total_ns == 300'000);
  CHECK(graph.duration_ns.median == 100'000);
  CHECK(graph.verdict.limiter == Limiter::kNotMeasured);
  CHECK_THAT(graph.verdict.missing, Contains("recorded as a whole"));
  CHECK(report.kernels[1].name == "CUDA graph 8");
  CHECK_FALSE(report.kernels[2].whole_graph);

  std::ostringstream text, json, csv;
  text << report;
  CHECK_THAT(text.str(), Contains("CUDA graph 7") && Contains("4 graphs recorded as a whole"));
  WriteJson(json, report);
  CHECK_THAT(json.str(), Contains("\"grid\": null") && Contains("\"graphs\": 4"));
  WriteCsv(csv, report);
  CHECK_THAT(csv.str(), Contains("CUDA graph 7"));
}

TEST_CASE("Counters of a graph as a whole belong to its launches that were recorded as a whole") {
  Replays run;
  run.b.GraphSample(run.sampled, {{kDram, 85}, {kWindow, 100'000}});
  const Report report = Analyze(run.b.Snapshot());
  REQUIRE(report.regions.size() == 1);
  const RegionReport& region = report.regions[0];
  CHECK(region.label == "CUDA graph 7 in decode");
  CHECK(region.instances == 3);
  CHECK(region.samples_used == 1);
  CHECK(region.duration_ns.n == 2);  // the one with the counters is not among them
  CHECK(region.verdict.limiter == Limiter::kDram);
  REQUIRE(region.parts.size() == 1);
  CHECK(region.parts[0].name == "CUDA graph 7");
  CHECK_THAT(report.kernels[0].verdict.missing, Contains("the graph as a whole: DRAM"));
}

TEST_CASE("Graph runs that do not fit their tables are damage") {
  const auto refusal = [](const std::function<void(wire::GraphRunColumns*)>& edit) {
    SnapshotBuilder b;
    b.GraphRun("step", 100'000, 110'000, Graph(7));
    b.edit = [&](wire::Block& block) { edit(block.mutable_graph_runs()); };
    const absl::StatusOr<model::Model> model = ReadSnapshot(b.Bytes());
    REQUIRE_FALSE(model.ok());
    return std::string(model.status().message());
  };
  CHECK_THAT(refusal([](wire::GraphRunColumns* runs) { runs->add_graph_id(1); }),
             Contains("graph runs") && Contains("graph_id has 2"));
  CHECK_THAT(refusal([](wire::GraphRunColumns* runs) { runs->clear_duration_ns(); }),
             Contains("graph runs") && Contains("duration_ns has 0"));
  CHECK_THAT(refusal([](wire::GraphRunColumns* runs) { runs->set_lane(0, 9); }),
             Contains("graph runs row 0 names lane 9"));
  CHECK_THAT(refusal([](wire::GraphRunColumns* runs) { runs->set_start_delta_ns(0, INT64_MAX); }),
             Contains("graph runs row 0 has an impossible time"));
}

}  // namespace
}  // namespace prof::region_graph_test
