// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/prof_times.h"

#include <utility>

namespace prof::analyzer {

std::vector<IntervalUnion> ProfTimes(const model::Model& model) {
  std::vector<Intervals> times(model.threads.size());
  for (const model::ProfilerInterval& interval : model.profiler_intervals) {
    times[interval.thread].push_back({interval.begin_ns, interval.end_ns});
  }
  std::vector<IntervalUnion> unions;
  unions.reserve(times.size());
  for (Intervals& of_thread : times) unions.emplace_back(std::move(of_thread));
  return unions;
}

}  // namespace prof::analyzer
