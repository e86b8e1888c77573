// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/queue_depth.h"

#include <algorithm>
#include <vector>

#include "lib/analyzer/base/statistics.h"

namespace prof::analyzer {

QueueDepth MeasureQueue(const model::Model& model, uint32_t device,
                        std::optional<StreamKey> stream) {
  std::vector<int64_t> launched_ns, started_ns;
  int32_t graph_call = model::kNoIndex;  // the nodes of a graph come with one launch
  for (const model::Op& op : model.ops) {
    if (!op.timed || op.device != device || op.api == model::kNoIndex) continue;
    if (stream && (op.context != stream->context || op.stream != stream->stream)) continue;
    if (op.graph != 0 && op.api == graph_call) continue;
    if (op.graph != 0) graph_call = op.api;
    launched_ns.push_back(model.api_calls[op.api].start_ns);
    started_ns.push_back(op.start_ns);
  }
  std::sort(launched_ns.begin(), launched_ns.end());
  std::sort(started_ns.begin(), started_ns.end());
  std::vector<int64_t> depths;
  size_t started = 0;
  for (size_t i = 0; i < launched_ns.size(); ++i) {
    while (started < started_ns.size() && started_ns[started] <= launched_ns[i]) ++started;
    depths.push_back(std::max<int64_t>(0, static_cast<int64_t>(i) - static_cast<int64_t>(started)));
  }
  QueueDepth depth;
  depth.launches = static_cast<int64_t>(depths.size());
  if (depths.empty()) return depth;
  depth.nearly_empty =
      std::count_if(depths.begin(), depths.end(), [](int64_t waiting) { return waiting <= 1; });
  const Statistic all = Summarize(depths.begin(), depths.end());
  depth.median = all.median;
  depth.most = static_cast<int64_t>(all.max);
  return depth;
}

}  // namespace prof::analyzer
