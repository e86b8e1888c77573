// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/launch_calls.h"

#include <algorithm>
#include <vector>

#include "lib/analyzer/base/statistics.h"

namespace prof::analyzer {

LaunchCalls CompareLaunchCalls(const model::Model& model) {
  LaunchCalls result;
  const std::vector<model::ProfilerInterval>& held = model.profiler_intervals;
  if (!held.empty()) {
    result.sampling_start_ns = held.front().begin_ns;
    for (const model::ProfilerInterval& interval : held) {
      result.sampling_end_ns = std::max(result.sampling_end_ns, interval.end_ns);
    }
  }
  std::vector<int64_t> sampling, otherwise;
  size_t next = 0;
  int64_t held_until_ns = 0;
  for (const model::ApiCall& call : model.api_calls) {
    if (call.cls != model::ApiClass::kLaunch) continue;
    for (; next < held.size() && held[next].begin_ns < call.end_ns; ++next) {
      held_until_ns = std::max(held_until_ns, held[next].end_ns);
    }
    if (call.start_ns < held_until_ns) continue;
    (result.Sampling(call.start_ns) ? sampling : otherwise).push_back(call.end_ns - call.start_ns);
  }
  result.sampling = Summarize(sampling.begin(), sampling.end());
  result.otherwise = Summarize(otherwise.begin(), otherwise.end());
  return result;
}

}  // namespace prof::analyzer
