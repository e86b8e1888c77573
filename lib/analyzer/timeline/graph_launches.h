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

// [own] How much longer, a node: an estimate, and the lower end of what was measured on an H200
// with CUPTI 13.0. Graphs of 1,000 empty nodes: 0.86 us (the floor against bare in
// docs/measurements/launches.md). One of 244 nodes: 0.84 us (docs/guide/cases.md).
constexpr int64_t kRecordedNodeNs = 800;
// [own] What is left of a call is the program's: a launch takes this long without prof.
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
