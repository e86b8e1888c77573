// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/launch_calls.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "lib/analyzer/base/statistics.h"

namespace prof::analyzer {
namespace {

// CUPTI's range profiler is on until the last sample, from the last preparation before the first
// one. Other preparations are in every recording, and PM samples hold up no launch.
void FindSampling(const std::vector<model::ProfilerInterval>& held, LaunchCalls* calls) {
  std::optional<int64_t> setup_ns;
  for (const model::ProfilerInterval& interval : held) {
    if (interval.work == model::ProfilerWork::kSetup) {
      setup_ns = interval.begin_ns;
      continue;
    }
    if (calls->sampling_end_ns == 0) {
      calls->sampling_start_ns = setup_ns.value_or(interval.begin_ns);
    }
    calls->sampling_end_ns = std::max(calls->sampling_end_ns, interval.end_ns);
  }
}

}  // namespace

LaunchCalls CompareLaunchCalls(const model::Model& model) {
  LaunchCalls result;
  const std::vector<model::ProfilerInterval>& held = model.profiler_intervals;
  FindSampling(held, &result);
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
