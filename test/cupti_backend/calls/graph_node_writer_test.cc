// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/calls/graph_node_writer.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "lib/capture/threads/host_stacks.h"
#include "lib/capture/threads/thread_recorder.h"
#include "lib/capture/threads/torch_ops.h"
#include "lib/capture/windows/forwarding_sink.h"
#include "test/cupti_backend/calls/graph_handles.h"
#include "test/support/catch.h"

namespace prof::cupti::test::graph_node_writer_test {
namespace {

// Knows the paths that it was given, and notes the nodes that reach it.
class NodeSink final : public capture::ForwardingSink {
 public:
  using ForwardingSink::Add;
  NodeSink() : ForwardingSink(this) {}

  void Add(const capture::GraphNodeEvent& node) override {
    text += (text.empty() ? "" : " ") + std::to_string(node.node) +
            (node.path != 0 ? " in a range" : "") + (node.stack != 0 ? " in a stack" : "") +
            (node.torch_op != 0 ? " in an op" : "");
  }
  [[nodiscard]] bool HasPath(uint32_t path) const override {
    return path == 0 || known.count(path) != 0;
  }
  void WriteIfLarge() override {}
  std::string Taken() { return std::exchange(text, ""); }

  std::set<uint32_t> known;
  std::string text;
};

uint32_t AStack(capture::StackCache* /*cache*/) { return 77; }

struct Program {
  void Create(uint64_t node) {
    CUpti_GraphData data = {};
    data.node = Of<CUgraphNode>(node);
    data.graph = Of<CUgraph>(1);
    CUpti_ResourceData resource = {};
    resource.resourceDescriptor = &data;
    nodes.OnResource(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, resource);
  }
  // Returns the range.
  uint32_t CreateInRange(uint64_t node) {
    capture::PushRange({"layer", ""});
    const uint32_t path = capture::CurrentPath();
    Create(node);
    capture::PopRange("");
    return path;
  }
  // Returns the op.
  uint32_t CreateInOp(uint64_t node) {
    capture::TorchOpStart op;
    op.name = "aten::mm";
    op.event = this;
    capture::PushTorchOp(op);
    const uint32_t path = capture::CurrentTorchOp();
    Create(node);
    capture::PopTorchOp(this);
    return path;
  }
  void CreateInStack(uint64_t node) {
    capture::SetStackWalker(capture::StackKind::kPython, &AStack);
    Create(node);
    capture::SetStackWalker(capture::StackKind::kPython, nullptr);
  }
  // What the sink gets in a round.
  std::string Round(GraphNodeWriter* writer) {
    writer->Gather();
    writer->Write(sink);
    return sink.Taken();
  }

  CuptiApi api = GraphIdApi();
  GraphNodes nodes{&api, 4};
  NodeSink sink;
};

TEST_CASE("A node waits until its range is in the file, and is then written once") {
  Program program;
  GraphNodeWriter writer(&program.nodes, true);
  const uint32_t path = program.CreateInRange(11);
  CHECK(program.Round(&writer).empty());
  CHECK(program.Round(&writer).empty());
  program.sink.known = {path};
  CHECK(program.Round(&writer) == "11 in a range");
  CHECK(program.Round(&writer).empty());
}

TEST_CASE("A node waits until its op of PyTorch is in the file") {
  Program program;
  GraphNodeWriter writer(&program.nodes, true);
  const uint32_t op = program.CreateInOp(11);
  REQUIRE(op != 0);
  CHECK(program.Round(&writer).empty());
  program.sink.known = {op};
  CHECK(program.Round(&writer) == "11 in an op");
}

TEST_CASE("Where ranges are not recorded a node has its host stack alone, and needs one") {
  Program program;
  GraphNodeWriter writer(&program.nodes, false);
  (void)program.CreateInRange(11);
  CHECK(program.Round(&writer).empty());
  program.CreateInStack(12);
  CHECK(program.Round(&writer) == "12 in a stack");
}

TEST_CASE("Nodes without room are counted, where they would have been written") {
  for (const bool records_ranges : {true, false}) {
    Program program;
    GraphNodeWriter writer(&program.nodes, records_ranges);
    for (uint64_t node = 11; node <= 16; ++node) program.CreateInStack(node);
    (void)program.Round(&writer);
    CHECK(writer.dropped() == 2);
    // A later recording has not lost them.
    const GraphNodeWriter later(&program.nodes, records_ranges);
    CHECK(later.dropped() == 0);
  }
  Program program;
  GraphNodeWriter writer(&program.nodes, false);
  for (uint64_t node = 11; node <= 16; ++node) (void)program.CreateInRange(node);
  (void)program.Round(&writer);
  CHECK(writer.dropped() == 0);  // without ranges and stacks nobody misses them
}

}  // namespace
}  // namespace prof::cupti::test::graph_node_writer_test
