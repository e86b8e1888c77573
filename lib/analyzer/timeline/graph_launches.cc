// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/graph_launches.h"

#include <algorithm>
#include <map>

namespace prof::analyzer {

std::vector<GraphLaunchHold> GraphLaunchHolds(const model::Model& model) {
  std::map<int32_t, int64_t> nodes;  // by call
  auto last = nodes.end();           // the nodes of a launch follow each other
  for (const model::Op& op : model.ops) {
    if (op.graph == 0 || op.kind == model::OpKind::kGraph || op.api == model::kNoIndex) continue;
    if (last == nodes.end() || last->first != op.api) last = nodes.try_emplace(op.api, 0).first;
    ++last->second;
  }
  std::vector<GraphLaunchHold> holds;
  holds.reserve(nodes.size());
  for (const auto& [api, count] : nodes) {
    const model::ApiCall call = model.api_calls[static_cast<size_t>(api)];
    if (call.cls != model::ApiClass::kGraphLaunch) continue;
    const int64_t held_ns =
        std::min(call.end_ns - call.start_ns - kBareGraphLaunchNs, count * kRecordedNodeNs);
    if (held_ns <= 0) continue;
    holds.push_back({call.thread, {call.start_ns, call.start_ns + held_ns}});
  }
  return holds;
}

}  // namespace prof::analyzer
