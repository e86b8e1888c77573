// SPDX-License-Identifier: Apache-2.0
//
// These tests join operations with their calls, their ranges and their counter samples.
#include "lib/snapshot/read/reader.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::join_test {
namespace {

using test::Launch;
using test::SnapshotBuilder;

model::Model Read(SnapshotBuilder& builder) {
  absl::StatusOr<model::Model> model = ReadSnapshot(builder.Bytes());
  INFO(model.status().ToString());
  REQUIRE(model.ok());
  return *std::move(model);
}

std::string PathOf(const model::Model& m, const model::Op& op) { return m.paths[op.path].full; }

TEST_CASE("An operation belongs to the range that its thread was in at the launch") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {1}, {32});
  b.Range("a", 0, 50'000);
  b.Range("b", 50'000, 100'000);
  b.Kernel(shape, "", 60'000, 70'000);    // launched at 50'000, in b
  b.Kernel(shape, "", 59'999, 60'000);    // launched at 49'999, still in a
  b.Kernel(shape, "", 200'000, 210'000);  // launched after both
  Launch other_thread;
  other_thread.tid = 2000;
  b.Kernel(shape, "", 65'000, 66'000, other_thread);
  const model::Model m = Read(b);
  CHECK(PathOf(m, m.ops[0]) == "a");
  CHECK(PathOf(m, m.ops[1]) == "b");
  CHECK(PathOf(m, m.ops[2]).empty());
  CHECK(PathOf(m, m.ops[3]).empty());
}

TEST_CASE("All kernels of a graph launch share its call and its range") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {1}, {32});
  Launch graph;
  graph.graph = 4;
  graph.graph_node = 1;
  graph.correlation = 77;
  b.Kernel(shape, "decode", 100'000, 110'000, graph);
  graph.graph_node = 2;
  graph.no_api = true;
  b.Kernel(shape, "", 110'000, 120'000, graph);
  const model::Model m = Read(b);
  REQUIRE(m.api_calls.size() == 1);
  CHECK(m.api_calls[0].cls == model::ApiClass::kGraphLaunch);
  for (const model::Op& op : m.ops) {
    CHECK(op.api == 0);
    CHECK(op.graph == 4);
    CHECK(PathOf(m, op) == "decode");
  }
  CHECK(m.ops[1].graph_node == 2);
}

TEST_CASE("The outer one of nested calls with one correlation id is the launch") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {1}, {32});
  Launch inner;
  inner.api = "cuLaunchKernel";
  inner.correlation = 5;
  inner.api_start_ns = 91'000;
  inner.api_end_ns = 93'000;
  b.Kernel(shape, "", 100'000, 110'000, inner);
  Launch outer = inner;
  outer.api = "cudaLaunchKernel";
  outer.api_start_ns = 90'000;
  outer.api_end_ns = 94'000;
  b.Kernel(shape, "", 100'000, 110'000, outer);
  const model::Model m = Read(b);
  for (const model::Op& op : m.ops) {
    CHECK(m.strings[m.api_calls[op.api].name] == "cudaLaunchKernel");
  }
}

TEST_CASE("An operation whose call was not recorded has none, and no range") {
  SnapshotBuilder b;
  Launch lost;
  lost.no_api = true;
  b.Kernel(b.Shape("k", {1}, {32}), "", 100'000, 110'000, lost);
  b.Range("a", 0, 500'000);
  const model::Model m = Read(b);
  CHECK(m.ops[0].api == model::kNoIndex);
  CHECK(m.ops[0].path == 0);
}

TEST_CASE("Calls are found for operations in any order of correlation ids") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {1}, {32});
  for (uint32_t i = 0; i < 500; ++i) {
    Launch how;
    how.correlation = 1 + (i * 7919) % 4001;
    b.Kernel(shape, "", 100'000 + i * 1000, 100'500 + i * 1000, how);
  }
  const model::Model m = Read(b);
  for (const model::Op& op : m.ops) {
    REQUIRE(op.api != model::kNoIndex);
    CHECK(m.api_calls[op.api].correlation == op.correlation);
    CHECK(m.api_calls[op.api].start_ns == op.start_ns - 10'000);
  }
}

TEST_CASE("A sample finds its kernel by context and correlation id") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {1}, {32});
  const uint32_t plain = b.Kernel(shape, "", 100'000, 110'000);
  Launch other_context;
  other_context.context = 2;
  other_context.correlation = plain;
  other_context.no_api = true;
  b.Kernel(shape, "", 120'000, 130'000, other_context);
  b.Kernel(shape, "", 140'000, 150'000);
  b.Sample(plain, {{"m", 1.0}}, "sol", 2);
  b.Sample(999, {{"m", 2.0}});
  const model::Model m = Read(b);
  CHECK(m.samples[0].op == 1);
  CHECK(m.samples[1].op == model::kNoIndex);
  CHECK_FALSE(m.ops[0].sampled);
  CHECK(m.ops[1].sampled);
  CHECK_FALSE(m.ops[2].sampled);
  CHECK(m.groups[m.samples[0].group].metrics == std::vector<std::string>{"m"});
  CHECK(m.samples[0].values == std::vector<double>{1.0});
}

TEST_CASE("A sample of a graph launch belongs to none of its kernels, but marks them all") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {1}, {32});
  Launch graph;
  graph.graph = 1;
  graph.correlation = 7;
  b.Kernel(shape, "", 100'000, 110'000, graph);
  graph.no_api = true;
  b.Kernel(shape, "", 110'000, 120'000, graph);
  b.Sample(7, {{"m", 1.0}});
  const model::Model m = Read(b);
  CHECK(m.samples[0].op == model::kNoIndex);
  CHECK(m.ops[0].sampled);
  CHECK(m.ops[1].sampled);
}

TEST_CASE("A launch inside a counter range counts as sampled even when it gave no values") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {1}, {32});
  b.Kernel(shape, "", 100'000, 110'000);  // called 90'000 to 94'000
  b.Kernel(shape, "", 200'000, 210'000);  // called 190'000 to 194'000
  b.Kernel(shape, "", 300'000, 310'000);
  Launch other_thread;
  other_thread.tid = 2000;
  b.Kernel(shape, "", 200'500, 200'600, other_thread);
  b.Profiler(model::ProfilerWork::kSample, 189'000, 195'000);
  b.Profiler(model::ProfilerWork::kRotate, 280'000, 299'000);
  const model::Model m = Read(b);
  CHECK_FALSE(m.ops[0].sampled);
  CHECK(m.ops[1].sampled);
  CHECK_FALSE(m.ops[2].sampled);
  CHECK_FALSE(m.ops[3].sampled);
}

}  // namespace
}  // namespace prof::join_test
