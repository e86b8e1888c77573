// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/calls/graph_nodes.h"

#include <string>
#include <thread>
#include <vector>

#include "lib/capture/threads/host_stacks.h"
#include "lib/capture/threads/thread_recorder.h"
#include "test/cupti_backend/calls/graph_handles.h"
#include "test/support/catch.h"

namespace prof::cupti::test::graph_nodes_test {
namespace {

struct Program {
  void Tell(CUpti_CallbackIdResource cbid, CUpti_GraphData data) {
    CUpti_ResourceData resource = {};
    resource.resourceDescriptor = &data;
    nodes.OnResource(cbid, resource);
  }
  void Create(uint64_t node, uint64_t graph) {
    CUpti_GraphData data = {};
    data.node = Of<CUgraphNode>(node);
    data.graph = Of<CUgraph>(graph);
    Tell(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, data);
  }
  void Clone(uint64_t node, uint64_t graph, uint64_t original) {
    CUpti_GraphData data = {};
    data.node = Of<CUgraphNode>(node);
    data.graph = Of<CUgraph>(graph);
    data.originalNode = Of<CUgraphNode>(original);
    Tell(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, data);
  }
  void DestroyNode(uint64_t node) {
    CUpti_GraphData data = {};
    data.node = Of<CUgraphNode>(node);
    Tell(CUPTI_CBID_RESOURCE_GRAPHNODE_DESTROY_STARTING, data);
  }
  void DestroyGraph(uint64_t graph) {
    CUpti_GraphData data = {};
    data.graph = Of<CUgraph>(graph);
    Tell(CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING, data);
  }
  void DestroyExec(uint64_t exec) {
    CUpti_GraphData data = {};
    data.graphExec = Of<CUgraphExec>(exec);
    Tell(CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING, data);
  }
  // All that are known, as "node:path".
  std::string Known() {
    nodes.BeginRecording();
    return Taken();
  }
  std::string Taken() {
    std::string text;
    for (const capture::GraphNodeEvent& node : nodes.TakeNew()) {
      text += (text.empty() ? "" : " ") + std::to_string(node.node) + ":" +
              (node.path == layer    ? "layer"
               : node.path == replay ? "replay"
                                     : "none");
    }
    return text;
  }

  CuptiApi api = GraphIdApi();
  GraphNodes nodes{&api, 8};
  uint32_t layer = Path("layer"), replay = Path("replay");

  static uint32_t Path(const char* name) {
    capture::PushRange({name, ""});
    const uint32_t path = capture::CurrentPath();
    capture::PopRange("");
    return path;
  }
};

struct InRange {
  explicit InRange(const char* name) { capture::PushRange({name, ""}); }
  ~InRange() { capture::PopRange(""); }
  InRange(const InRange&) = delete;
  InRange& operator=(const InRange&) = delete;
};

TEST_CASE("A node has the range in which its thread was when it was captured") {
  Program program;
  {
    const InRange range("layer");
    program.Create(11, 1);
    std::thread([&] { program.Create(12, 1); }).join();  // not in a range
  }
  program.Create(13, 1);  // nor this one
  CHECK(program.Taken() == "11:layer");
  CHECK(program.Taken().empty());  // each once
}

uint32_t ATestStack(capture::StackCache* /*cache*/) { return 77; }

TEST_CASE("A node has the host stack of its capture, also without a range, and so has its clone") {
  Program program;
  capture::SetStackWalker(capture::StackKind::kPython, &ATestStack);
  program.Create(11, 1);
  capture::SetStackWalker(capture::StackKind::kPython, nullptr);
  program.Create(12, 1);
  program.Clone(21, 2, 11);
  program.Clone(22, 2, 12);
  const std::vector<capture::GraphNodeEvent> nodes = program.nodes.TakeNew();
  REQUIRE(nodes.size() == 2);
  for (const capture::GraphNodeEvent& node : nodes) {
    CHECK(node.path == 0);
    CHECK(node.stack == 77);
  }
  CHECK(nodes[0].node == 11);
  CHECK(nodes[1].node == 21);
}

TEST_CASE("Nodes of an executable graph have the ranges of those that they were made from") {
  for (const bool announced_first : {true, false}) {
    Program program;
    {
      const InRange range("layer");
      program.Create(11, 1);
    }
    program.Create(12, 1);
    const InRange range("replay");  // it is instantiated here
    // CUPTI announces a clone as a creation, too.
    if (announced_first) program.Create(21, 2);
    program.Clone(21, 2, 11);
    if (!announced_first) program.Create(21, 2);
    program.Create(22, 2);
    program.Clone(22, 2, 12);
    CHECK(program.Taken() == "11:layer 21:layer 22:none");
    CHECK(program.Known() == "11:layer 21:layer");
    program.Clone(31, 3, 21);  // of a clone
    CHECK(program.Taken() == "31:layer");
  }
}

TEST_CASE("What the program destroys is not kept") {
  Program program;
  const InRange range("layer");
  for (const uint64_t node : {11, 12, 13}) program.Create(node, 1);
  for (const uint64_t node : {21, 22, 23}) program.Clone(node, 2, node - 10);
  program.DestroyNode(12);
  CHECK(program.Known() == "11:layer 13:layer 21:layer 22:layer 23:layer");
  program.DestroyGraph(1);
  CHECK(program.Known() == "21:layer 22:layer 23:layer");
  program.DestroyExec(2);
  CHECK(program.Known().empty());
  program.DestroyExec(2);
  program.DestroyNode(99);
  CHECK(program.nodes.dropped() == 0);
}

TEST_CASE(
    "A node that is destroyed before it was taken is reported all the same: it may have run") {
  Program program;
  {
    const InRange range("layer");
    program.Create(11, 1);
  }
  program.DestroyGraph(1);
  CHECK(program.Taken() == "11:layer");
}

TEST_CASE("Nodes beyond the bound are counted, and room that becomes free is used") {
  Program program;
  const InRange range("layer");
  for (uint64_t node = 1; node <= 10; ++node) program.Create(node, 1);
  CHECK(program.nodes.dropped() == 2);
  program.DestroyGraph(1);
  program.Create(11, 2);
  CHECK(program.Known() == "11:layer");
  CHECK(program.nodes.dropped() == 2);
}

TEST_CASE("What was built and thrown away between two looks stays bounded") {
  Program program;
  const InRange range("layer");
  for (uint64_t graph = 1; graph <= 100; ++graph) {
    program.Create(1000 + graph, graph);
    program.DestroyGraph(graph);
  }
  CHECK(program.nodes.dropped() == 100 - 16);
  CHECK(program.nodes.TakeNew().size() == 16);
}

TEST_CASE("A CUPTI that knows no ids, and callbacks without graphs, do no harm") {
  Program program;
  const InRange range("layer");
  program.nodes.OnResource(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, {});
  program.nodes.OnResource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, {});
  program.Tell(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, {});
  program.Tell(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, {});
  program.Tell(CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING, {});
  program.api.get_graph_id = [](CUgraph, uint32_t*) { return CUPTI_ERROR_INVALID_PARAMETER; };
  program.Create(11, 1);
  program.DestroyGraph(1);
  CHECK(program.Known() == "11:layer");
  program.DestroyNode(11);
  CHECK(program.Known().empty());
  program.api.get_graph_node_id = [](CUgraphNode, uint64_t*) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  };
  program.Create(12, 1);
  CHECK(program.Known().empty());
}

TEST_CASE("Threads that build graphs at one time lose nothing") {
  CuptiApi api = GraphIdApi();
  GraphNodes nodes(&api);
  std::vector<std::thread> threads;
  for (uint64_t thread = 1; thread <= 4; ++thread) {
    threads.emplace_back([&, thread] {
      const InRange range("layer");
      CUpti_GraphData data = {};
      data.graph = Of<CUgraph>(thread);
      CUpti_ResourceData resource = {};
      resource.resourceDescriptor = &data;
      for (uint64_t node = 0; node < 1000; ++node) {
        data.node = Of<CUgraphNode>(thread * 10'000 + node);
        nodes.OnResource(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, resource);
      }
    });
  }
  size_t taken = 0;
  for (int i = 0; i < 10; ++i) taken += nodes.TakeNew().size();
  for (std::thread& thread : threads) thread.join();
  taken += nodes.TakeNew().size();
  CHECK(taken == 4000);
  CHECK(nodes.dropped() == 0);
}

}  // namespace
}  // namespace prof::cupti::test::graph_nodes_test
