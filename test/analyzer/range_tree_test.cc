// SPDX-License-Identifier: Apache-2.0
//
// The tree of ranges: inclusive and exclusive GPU time, host time, families; the calls by function.
#include <algorithm>
#include <string>
#include <vector>

#include "prof/analyzer.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::range_tree_test {
namespace {

const RangeNode* Node(const Report& report, const std::string& path) {
  for (const RangeNode& node : report.ranges) {
    if (node.path == path) return &node;
  }
  return nullptr;
}

// Two steps with four layers each; the step itself runs a kernel, too.
Report TwoSteps() {
  test::SnapshotBuilder b;
  const uint32_t k = b.Shape("k", {132, 1, 1}, {256, 1, 1});
  for (int64_t step = 0; step < 2; ++step) {
    const int64_t begin = step * 1'000'000;
    b.Range("step", begin, begin + 900'000);
    for (int64_t layer = 0; layer < 4; ++layer) {
      const int64_t at = begin + 100'000 + layer * 100'000;
      const std::string path = "step/layer " + std::to_string(layer);
      b.Range(path, at, at + 90'000);
      test::Launch how;
      how.api_start_ns = at + 5'000;
      how.api_end_ns = at + 9'000;
      b.Kernel(k, "", at + 20'000, at + 60'000, how);
    }
    test::Launch how;
    how.api_start_ns = begin + 600'000;
    how.api_end_ns = begin + 604'000;
    b.Kernel(k, "", begin + 610'000, begin + 620'000, how);
  }
  return Analyze(b.Snapshot());
}

TEST_CASE("A range has its own GPU time, that of the ranges in it, and the time on the host") {
  const Report report = TwoSteps();
  const RangeNode* const step = Node(report, "step");
  REQUIRE(step != nullptr);
  CHECK(step->calls == 2);
  CHECK(step->host_ns == 1'800'000);
  CHECK(step->host_longest_ns == 900'000);
  CHECK(step->gpu_ns == 20'000);
  CHECK(step->gpu_inclusive_ns == 20'000 + 8 * 40'000);
  CHECK(step->parent == -1);
}

TEST_CASE("Ranges that differ in numbers only are one node that lists them") {
  const Report report = TwoSteps();
  const RangeNode* const layers = Node(report, "step/layer *");
  REQUIRE(layers != nullptr);
  CHECK(layers->ranges == 4);
  CHECK(layers->calls == 8);
  CHECK(layers->depth == 1);
  CHECK(layers->gpu_inclusive_ns == 8 * 40'000);
  REQUIRE(layers->members.size() == 4);
  CHECK(layers->members[3].path == "step/layer 3");
  CHECK(layers->members[3].calls == 2);
  CHECK(layers->members[3].gpu_inclusive_ns == 2 * 40'000);
  CHECK(report.ranges[static_cast<size_t>(layers->parent)].path == "step");
}

TEST_CASE("The GPU times of all ranges sum to the rows that are ranges") {
  const Report report = TwoSteps();
  double nodes_ns = 0, rows_ns = 0;
  for (const RangeNode& node : report.ranges) nodes_ns += node.gpu_ns;
  for (const RangeRow& row : report.rows) {
    if (row.kind == RangeRow::Kind::kRange) rows_ns += row.time_ns;
  }
  CHECK(nodes_ns == rows_ns);
  CHECK(nodes_ns > 0);
}

TEST_CASE("A range without GPU work is in the tree") {
  test::SnapshotBuilder b;
  const uint32_t k = b.Shape("k", {132, 1, 1}, {256, 1, 1});
  b.Range("load data", 0, 500'000);
  b.Kernel(k, "train", 600'000, 700'000);
  b.Kernel(k, "train", 800'000, 900'000);
  const Report report = Analyze(b.Snapshot());
  const RangeNode* const node = Node(report, "load data");
  REQUIRE(node != nullptr);
  CHECK(node->host_ns == 500'000);
  CHECK(node->gpu_inclusive_ns == 0);
  CHECK(node->rows.empty());
}

TEST_CASE("Each function of the CUDA API has its calls and their time") {
  test::SnapshotBuilder b;
  const uint32_t k = b.Shape("k", {132, 1, 1}, {256, 1, 1});
  b.Kernel(k, "", 100'000, 200'000);
  b.Kernel(k, "", 300'000, 400'000);
  b.Api("cudaDeviceSynchronize", 410'000, 510'000);
  const Report report = Analyze(b.Snapshot());
  REQUIRE(report.api_calls.size() == 2);
  CHECK(report.api_calls[0].name == "cudaDeviceSynchronize");
  CHECK(report.api_calls[0].total_ns == 100'000);
  CHECK(report.api_calls[1].name == "cudaLaunchKernel");
  CHECK(report.api_calls[1].count == 2);
  CHECK(report.api_calls[1].longest_ns == 4'000);
  CHECK(report.api_calls[1].failed == 0);
}

TEST_CASE("The time of a call is without what prof did in it") {
  test::SnapshotBuilder b;
  const uint32_t k = b.Shape("k", {132, 1, 1}, {256, 1, 1});
  b.Kernel(k, "", 4'000'000, 4'100'000);
  b.Api("cuLaunchKernel", 1'000'000, 2'000'000);
  b.Api("cuLaunchKernel", 2'100'000, 2'110'000);
  b.Profiler(model::ProfilerWork::kSample, 1'002'000, 1'997'000);
  b.Profiler(model::ProfilerWork::kSetup, 1'500'000, 1'600'000);       // a part of it: counted once
  b.Profiler(model::ProfilerWork::kRotate, 2'100'000, 2'110'000, 77);  // of another thread
  b.Api("cudaMemcpy", 3'000'000, 3'050'000);
  b.Profiler(model::ProfilerWork::kSample, 2'900'000, 3'900'000);  // around a counted range
  const Report report = Analyze(b.Snapshot());
  const auto find = [&](const char* name) {
    return *std::find_if(report.api_calls.begin(), report.api_calls.end(),
                         [&](const ApiSummary& summary) { return summary.name == name; });
  };
  CHECK(find("cuLaunchKernel").count == 2);
  CHECK(find("cuLaunchKernel").total_ns == 5'000 + 10'000);
  CHECK(find("cuLaunchKernel").longest_ns == 10'000);
  CHECK(find("cudaMemcpy").total_ns == 50'000);
}

}  // namespace
}  // namespace prof::range_tree_test
