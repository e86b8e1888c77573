// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/calls/waiting_graphs.h"

#include "test/cupti_backend/calls/graph_handles.h"
#include "test/support/catch.h"

namespace prof::cupti::test::waiting_graphs_test {
namespace {

struct Program {
  explicit Program(size_t most = WaitingGraphs::kMostNodes) : graphs(&api, most) {}

  void Report(CUpti_CallbackIdResource cbid, CUpti_GraphData data, const char* kernel = nullptr) {
    CUpti_ResourceData resource = {};
    resource.resourceDescriptor = &data;
    graphs.OnResource(cbid, resource, kernel);
  }
  void Create(uint64_t node, uint64_t graph, CUgraphNodeType type, const char* kernel = nullptr) {
    CUpti_GraphData data = {};
    data.node = Of<CUgraphNode>(node);
    data.graph = Of<CUgraph>(graph);
    data.nodeType = type;
    Report(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, data, kernel);
  }
  void Capture(uint64_t node, uint64_t graph, const char* kernel) {
    Create(node, graph, CU_GRAPH_NODE_TYPE_KERNEL, kernel);
  }
  void Clone(uint64_t node, uint64_t graph, uint64_t original) {
    CUpti_GraphData data = {};
    data.node = Of<CUgraphNode>(node);
    data.graph = Of<CUgraph>(graph);
    data.originalNode = Of<CUgraphNode>(original);
    Report(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, data);
  }
  void DestroyExec(uint64_t exec) {
    CUpti_GraphData data = {};
    data.graphExec = Of<CUgraphExec>(exec);
    Report(CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING, data);
  }
  bool Waits(uint64_t exec) { return graphs.Waits(Of<CUgraphExec>(exec)); }

  const CuptiApi api = GraphIdApi();
  WaitingGraphs graphs;
};

TEST_CASE("A graph into which a waiting kernel was captured waits once it is instantiated") {
  Program program;
  program.Capture(1, 10, "gemm");
  program.Capture(2, 11, "ncclDevKernel_AllReduce_Sum_f32");
  program.Clone(101, 20, 1);  // cuGraphInstantiate clones the nodes
  program.Clone(102, 21, 2);
  CHECK_FALSE(program.Waits(20));
  CHECK(program.Waits(21));
  program.DestroyExec(21);
  CHECK_FALSE(program.Waits(21));  // the number goes to another graph
}

TEST_CASE("Host functions and waits for memory are waiting nodes, copies are not") {
  for (const CUgraphNodeType type :
       {CU_GRAPH_NODE_TYPE_HOST, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, CU_GRAPH_NODE_TYPE_WAIT_EVENT}) {
    Program program;
    program.Create(1, 10, type);
    CHECK(program.Waits(10));
  }
  Program program;
  program.Create(1, 10, CU_GRAPH_NODE_TYPE_MEMCPY);
  program.Create(2, 10, CU_GRAPH_NODE_TYPE_KERNEL);  // added by its own call: no name
  CHECK_FALSE(program.Waits(10));
}

TEST_CASE("A graph with a child graph waits if any graph does") {
  Program program;
  program.Create(1, 10, CU_GRAPH_NODE_TYPE_GRAPH);
  CHECK_FALSE(program.Waits(10));
  program.Capture(2, 11, "ncclDevKernel_AllGather");
  program.Create(3, 12, CU_GRAPH_NODE_TYPE_GRAPH);
  CHECK(program.Waits(12));
}

TEST_CASE("When there are too many every graph waits") {
  Program program(1);
  program.Capture(1, 10, "ncclDevKernel_AllGather");
  program.Capture(2, 11, "ncclDevKernel_AllGather");
  CHECK(program.Waits(12));
}

}  // namespace
}  // namespace prof::cupti::test::waiting_graphs_test
