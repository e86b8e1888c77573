// SPDX-License-Identifier: Apache-2.0
//
// These tests give work of CUDA graphs the range in which it was captured.
#include <functional>
#include <string>

#include "lib/snapshot/read/reader.h"
#include "prof/snapshot.pb.h"
#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"

namespace prof::captured_paths_test {
namespace {

using Catch::Contains;
using test::Launch;
using test::SnapshotBuilder;

model::Model Read(SnapshotBuilder& builder, int blocks = 1) {
  absl::StatusOr<model::Model> model = ReadSnapshot(builder.Bytes(blocks));
  INFO(model.status().ToString());
  REQUIRE(model.ok());
  return *std::move(model);
}

Launch Node(uint64_t node, uint32_t graph = 4) {
  Launch launch;
  launch.graph = graph;
  launch.graph_node = node;
  return launch;
}

std::string PathOf(const model::Model& m, const model::Op& op) { return m.paths[op.path].full; }
std::string LaunchOf(const model::Model& m, const model::Op& op) {
  return m.paths[m.LaunchPath(op)].full;
}

TEST_CASE("Work of a graph has a path with the range of its launch and the range of its capture") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {1}, {32});
  b.GraphNode(uint64_t{4} << 32 | 1, "forward/layer 3");
  b.GraphNode(uint64_t{4} << 32 | 2, "forward/layer 4");
  b.Kernel(shape, "replay", 100'000, 110'000, Node(uint64_t{4} << 32 | 1));
  b.Copy(model::CopyKind::kDeviceToDevice, model::MemoryKind::kDevice, model::MemoryKind::kDevice,
         1, "replay", 120'000, 121'000, Node(uint64_t{4} << 32 | 2));
  b.Memset(1, "replay", 130'000, 131'000, Node(uint64_t{4} << 32 | 2));
  b.Kernel(shape, "", 140'000, 150'000, Node(uint64_t{4} << 32 | 1));
  b.Kernel(shape, "replay", 160'000, 170'000, Node(uint64_t{4} << 32 | 1));
  for (const int blocks : {1, 3}) {
    const model::Model m = Read(b, blocks);
    CHECK(PathOf(m, m.ops[0]) == "replay > forward/layer 3");
    CHECK(LaunchOf(m, m.ops[0]) == "replay");
    CHECK(m.paths[m.paths[m.ops[0].path].captured].full == "forward/layer 3");
    CHECK(PathOf(m, m.ops[1]) == "replay > forward/layer 4");
    CHECK(PathOf(m, m.ops[2]) == "replay > forward/layer 4");
    CHECK(PathOf(m, m.ops[3]) == "(no range) > forward/layer 3");
    CHECK(m.LaunchPath(m.ops[3]) == 0);
    CHECK(m.ops[4].path == m.ops[0].path);
  }
}

TEST_CASE(
    "Nodes that were captured in no range, the launch's own or an unknown one change nothing") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {1}, {32});
  b.GraphNode(1, "");
  b.GraphNode(2, "replay");
  b.GraphNode(5, "layer");
  b.GraphNode(5, "");  // replaces the entry above
  b.Kernel(shape, "replay", 100'000, 110'000, Node(1));
  b.Kernel(shape, "replay", 200'000, 210'000, Node(2));
  b.Kernel(shape, "replay", 300'000, 310'000, Node(3));
  Launch alone = Node(2, 0);  // it belongs to no graph
  b.Kernel(shape, "step", 400'000, 410'000, alone);
  b.Kernel(shape, "replay", 500'000, 510'000, Node(5));
  const model::Model m = Read(b);
  for (const model::Op& op : m.ops) {
    CHECK(m.paths[op.path].captured == 0);
    CHECK(m.LaunchPath(op) == op.path);
  }
  CHECK(PathOf(m, m.ops[1]) == "replay");
  CHECK(PathOf(m, m.ops[3]) == "step");
}

TEST_CASE("Node ids take all 64 bits, in any order") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {1}, {32});
  const uint64_t ids[] = {~uint64_t{0}, 1, uint64_t{1} << 63};
  for (const uint64_t id : ids) b.Kernel(shape, "replay", 100'000, 110'000, Node(id));
  const uint32_t layer = b.Path("layer");
  b.edit = [&](wire::Block& block) {
    wire::GraphNodes& nodes = *block.add_graph_nodes();
    uint64_t last = 0;
    for (const uint64_t id : ids) {
      nodes.add_node_delta(static_cast<int64_t>(id - last));
      nodes.add_path_delta(nodes.path_delta_size() == 0 ? layer : 0);
      last = id;
    }
  };
  const model::Model m = Read(b);
  for (const model::Op& op : m.ops) CHECK(PathOf(m, op) == "replay > layer");
}

TEST_CASE("Graph nodes that do not fit their tables are damage") {
  const auto refusal = [](const std::function<void(wire::GraphNodes*)>& edit) {
    SnapshotBuilder b;
    b.Kernel(b.Shape("k", {1}, {32}), "step", 100'000, 110'000);
    b.edit = [&](wire::Block& block) { edit(block.add_graph_nodes()); };
    const absl::StatusOr<model::Model> model = ReadSnapshot(b.Bytes());
    REQUIRE_FALSE(model.ok());
    return std::string(model.status().message());
  };
  CHECK_THAT(refusal([](wire::GraphNodes* nodes) { nodes->add_node_delta(1); }),
             Contains("graph nodes") && Contains("path_delta has 0"));
  CHECK_THAT(refusal([](wire::GraphNodes* nodes) {
               nodes->add_node_delta(1);
               nodes->add_path_delta(2);
             }),
             Contains("path 2 of 1"));
  CHECK_THAT(refusal([](wire::GraphNodes* nodes) {
               nodes->add_node_delta(1);
               nodes->add_path_delta(-1);
             }),
             Contains("graph nodes row 0 names path"));
}

TEST_CASE("A small file cannot ask for much memory with its graph nodes", "[long]") {
  SnapshotBuilder b;
  const uint32_t shape = b.Shape("k", {1}, {32});
  // 300 ranges with names of 4 KB each, launched from and captured in each of them: 90,000 pairs
  // would take 700 MB.
  const std::string name(4'000, 'x');
  for (int i = 0; i < 300; ++i) b.GraphNode(static_cast<uint64_t>(i) + 1, name + std::to_string(i));
  for (int i = 0; i < 90'000; ++i) {
    Launch launch = Node(static_cast<uint64_t>(i % 300) + 1);
    b.Kernel(shape, name + std::to_string(i / 300), 100'000 + i, 100'001 + i, launch);
  }
  const model::Model m = Read(b);
  size_t bytes = 0;
  for (const model::RangePath& path : m.paths) bytes += path.full.size() + path.name.size();
  CHECK(bytes < size_t{80} << 20);
  CHECK(m.ops.size() == 90'000);
}

}  // namespace
}  // namespace prof::captured_paths_test
