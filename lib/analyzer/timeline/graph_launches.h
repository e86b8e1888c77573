// SPDX-License-Identifier: Apache-2.0
//
// A launch of a CUDA graph takes the host longer while each of its nodes is recorded: CUPTI
// prepares every node in that call. Idle time behind it is prof's doing.
#ifndef PROF_LIB_ANALYZER_TIMELINE_GRAPH_LAUNCHES_H_
#define PROF_LIB_ANALYZER_TIMELINE_GRAPH_LAUNCHES_H_

#include <cstdint>
#include <vector>

#include "lib/analyzer/base/intervals.h"
#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// [own] How much longer, a node: an estimate from what was measured on an H200 with CUPTI 13.0.
// Graphs of 1,000 empty nodes: 0.86 us (the floor against bare in docs/measurements/launches.md).
// One of 244 nodes: 0.78 to 0.94 us (docs/guide/cases.md). A node that runs several times in a
// launch, in a loop of the graph, counts each time.
constexpr int64_t kRecordedNodeNs = 800;
// [own] Assumed, not measured: a launch takes this long without prof, and that is the program's.
constexpr int64_t kBareGraphLaunchNs = 10'000;

// The part of a launch of a graph that is prof's: from its begin on.
struct GraphLaunchHold {
  uint32_t thread = 0;
  Interval time;
};

// Of all launches of graphs whose nodes were recorded one by one. Linear in the operations.
[[nodiscard]] std::vector<GraphLaunchHold> GraphLaunchHolds(const model::Model& model);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_GRAPH_LAUNCHES_H_
