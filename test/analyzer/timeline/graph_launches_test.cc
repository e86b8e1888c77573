// SPDX-License-Identifier: Apache-2.0
//
// What recording each node of a CUDA graph adds to its launch is no idle time of the program.
#include "lib/analyzer/timeline/graph_launches.h"

#include <string>

#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/read/reader.h"
#include "prof/analyzer.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::analyzer::graph_launches_test {
namespace {

using Catch::Contains;
using test::Launch;
using test::SnapshotBuilder;

constexpr int kNodes = 100, kSteps = 50;
constexpr int64_t kAddedNs = kNodes * kRecordedNodeNs, kNodeNs = 2'000;
// A step of the host: it launches, and waits for the graph before it goes on.
constexpr int64_t kStepNs = 500'000, kCallNs = 100'000, kToFirstNodeNs = 5'000;

enum class Launches { kGraph, kKernels };

std::string Steps(Launches launches, int64_t call_ns) {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("layer", {132}, {256});
  for (int step = 0; step < kSteps; ++step) {
    Launch how;
    how.api = launches == Launches::kGraph ? "cudaGraphLaunch_v10000" : "cudaLaunchKernel_v7000";
    how.graph = launches == Launches::kGraph ? 7 : 0;
    const int64_t begin_ns = (step + 1) * kStepNs, end_ns = begin_ns + call_ns;
    how.api_start_ns = begin_ns;
    how.api_end_ns = end_ns;
    int64_t at_ns = end_ns + kToFirstNodeNs;
    for (int node = 0; node < kNodes; ++node) {
      how.graph_node = how.graph != 0 ? static_cast<uint64_t>(node) + 1 : 0;
      how.correlation = b.Kernel(shape, "", at_ns, at_ns + kNodeNs, how);
      how.no_api = true;
      at_ns += kNodeNs;
    }
    b.Api("cudaStreamSynchronize_v3020", end_ns + 1'000, at_ns + 2'000);
  }
  return b.Bytes();
}

model::Model Read(const std::string& bytes) {
  absl::StatusOr<model::Model> m = ReadSnapshot(bytes);
  REQUIRE(m.ok());
  return *std::move(m);
}

TEST_CASE("Idle time in which CUPTI prepared a graph's nodes is prof's, and no more than that") {
  const model::Model m = Read(Steps(Launches::kGraph, kCallNs));
  REQUIRE(GraphLaunchHolds(m).size() == kSteps);
  const Timeline timeline = BuildTimeline(m);
  REQUIRE(timeline.devices.size() == 1);
  REQUIRE(timeline.devices[0].gaps.size() == kSteps - 1);
  for (const Gap& gap : timeline.devices[0].gaps) {
    CHECK(gap.disturbed_ns == kAddedNs);
    CHECK(gap.cause != GapCause::kProfiler);  // what is left of it
  }
  const Report report = Analyze(Snapshot::FromBytes(Steps(Launches::kGraph, kCallNs)));
  CHECK(report.profiler_ns == static_cast<double>((kSteps - 1) * kAddedNs));
  bool named = false;
  for (const RangeRow& row : report.rows) {
    if (row.kind != RangeRow::Kind::kProfiler) continue;
    named = true;
    CHECK(row.label == "prof (tracing)");
    CHECK_THAT(row.evidence, Contains("nodes of graphs about 4.00 ms"));
  }
  CHECK(named);
}

TEST_CASE(
    "A launch of a graph that took less than its nodes would add is prof's but for the launch "
    "itself") {
  const Timeline timeline = BuildTimeline(Read(Steps(Launches::kGraph, 20'000)));
  for (const Gap& gap : timeline.devices[0].gaps) CHECK(gap.disturbed_ns == 10'000);
}

TEST_CASE("Kernels that are launched one by one, and graphs recorded as a whole, add nothing") {
  CHECK(GraphLaunchHolds(Read(Steps(Launches::kKernels, kCallNs))).empty());
  SnapshotBuilder b;
  Launch how;
  how.graph = 7;
  how.api = "cudaGraphLaunch_v10000";
  b.GraphRun("", 200'000, 400'000, how);
  CHECK(GraphLaunchHolds(Read(b.Bytes())).empty());
}

TEST_CASE("A launch that began before the gap is prof's as far as CUPTI was at work in it") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("layer", {132}, {256});
  b.Kernel(shape, "", 100'000, 200'000);
  Launch how;
  how.api = "cudaGraphLaunch_v10000";
  how.graph = 7;
  how.api_start_ns = 150'000;  // the GPU runs dry after half of it
  how.api_end_ns = 250'000;
  int64_t at_ns = 255'000;
  for (int node = 0; node < kNodes; ++node) {
    how.graph_node = static_cast<uint64_t>(node) + 1;
    how.correlation = b.Kernel(shape, "", at_ns, at_ns + kNodeNs, how);
    how.no_api = true;
    at_ns += kNodeNs;
  }
  const Timeline timeline = BuildTimeline(Read(b.Bytes()));
  REQUIRE(timeline.devices[0].gaps.size() == 1);
  CHECK(timeline.devices[0].gaps[0].disturbed_ns == 150'000 + kAddedNs - 200'000);
}

TEST_CASE("A program whose GPU is busy is not late by its graph launches") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("layer", {132}, {256});
  int64_t at_ns = 1'000'000, host_ns = 900'000;
  for (int step = 0; step < kSteps; ++step) {
    Launch how;
    how.api = "cudaGraphLaunch_v10000";
    how.graph = 7;
    how.api_start_ns = host_ns;
    how.api_end_ns = host_ns += kCallNs;
    for (int node = 0; node < kNodes; ++node) {
      how.graph_node = static_cast<uint64_t>(node) + 1;
      how.correlation = b.Kernel(shape, "", at_ns, at_ns + kNodeNs, how);
      how.no_api = true;
      at_ns += kNodeNs;
    }
  }
  // Then the host works for 5 ms before the next launch.
  Launch late;
  late.api_start_ns = at_ns + 5'000'000;
  late.api_end_ns = *late.api_start_ns + 4'000;
  b.Kernel(shape, "", at_ns + 5'010'000, at_ns + 5'020'000, late);
  const Timeline timeline = BuildTimeline(Read(b.Bytes()));
  REQUIRE(timeline.devices[0].gaps.size() == 1);
  CHECK(timeline.devices[0].gaps[0].disturbed_ns == 0);
  CHECK(timeline.devices[0].gaps[0].cause == GapCause::kHostWork);
}

}  // namespace
}  // namespace prof::analyzer::graph_launches_test
