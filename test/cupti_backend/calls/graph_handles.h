// SPDX-License-Identifier: Apache-2.0
//
// Graphs that no driver made: handles are their CUPTI ids times 64; the ids of executable graphs
// are those of graphs.
#ifndef PROF_TEST_CUPTI_BACKEND_CALLS_GRAPH_HANDLES_H_
#define PROF_TEST_CUPTI_BACKEND_CALLS_GRAPH_HANDLES_H_

#include <cstdint>
#include <cstring>

#include "cupti_backend/api/cupti_api.h"

namespace prof::cupti::test {

template <typename Handle>
Handle Of(uint64_t id) {
  const uint64_t bits = id * 64;
  Handle handle = nullptr;
  std::memcpy(&handle, &bits, sizeof(handle));
  return handle;
}

// An api that knows the ids of nodes, graphs and executable graphs, and nothing else.
CuptiApi GraphIdApi();

}  // namespace prof::cupti::test

#endif  // PROF_TEST_CUPTI_BACKEND_CALLS_GRAPH_HANDLES_H_
