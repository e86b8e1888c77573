// SPDX-License-Identifier: Apache-2.0
#include "test/cupti_backend/calls/graph_handles.h"

namespace prof::cupti::test {
namespace {

template <typename Handle>
uint64_t IdOf(Handle handle) {
  return reinterpret_cast<uintptr_t>(handle) / 64;
}

}  // namespace

CuptiApi GraphIdApi() {
  CuptiApi api;
  api.get_graph_node_id = [](CUgraphNode node, uint64_t* id) {
    *id = IdOf(node);
    return CUPTI_SUCCESS;
  };
  api.get_graph_id = [](CUgraph graph, uint32_t* id) {
    *id = static_cast<uint32_t>(IdOf(graph));
    return CUPTI_SUCCESS;
  };
  api.get_graph_exec_id = [](CUgraphExec exec, uint32_t* id) {
    *id = static_cast<uint32_t>(IdOf(exec));
    return CUPTI_SUCCESS;
  };
  return api;
}

}  // namespace prof::cupti::test
