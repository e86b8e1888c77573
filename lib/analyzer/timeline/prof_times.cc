// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/prof_times.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace prof::analyzer {
namespace {

std::vector<IntervalUnion> UnionsOf(std::vector<Intervals> by_thread) {
  std::vector<IntervalUnion> unions;
  unions.reserve(by_thread.size());
  for (Intervals& of_thread : by_thread) unions.emplace_back(std::move(of_thread));
  return unions;
}

// The operations that ran at some time of `times`.
IntervalUnion WorkBeside(const model::Model& model, const IntervalUnion& times) {
  const Intervals& wanted = times.intervals();
  Intervals work;
  size_t next = 0;  // of `wanted`: the first that ends behind the start of the operation
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const model::Op op = model.ops[i];
    if (!op.timed) break;  // they come last
    while (next < wanted.size() && wanted[next].end_ns <= op.start_ns) ++next;
    if (next == wanted.size()) break;
    if (op.end_ns > wanted[next].start_ns) work.push_back({op.start_ns, op.end_ns});
  }
  return IntervalUnion(std::move(work));
}

}  // namespace

std::vector<IntervalUnion> ProfTimes(const model::Model& model) {
  std::vector<Intervals> times(model.threads.size());
  for (const model::ProfilerInterval& interval : model.profiler_intervals) {
    times[interval.thread].push_back({interval.begin_ns, interval.end_ns});
  }
  return UnionsOf(std::move(times));
}

std::vector<IntervalUnion> ProfWaits(const model::Model& model) {
  std::vector<Intervals> waits(model.threads.size());
  Intervals setups;
  for (const model::ProfilerInterval& interval : model.profiler_intervals) {
    const bool is_setup = interval.work == model::ProfilerWork::kSetup;
    (is_setup ? setups : waits[interval.thread]).push_back({interval.begin_ns, interval.end_ns});
  }
  if (!setups.empty()) {
    const IntervalUnion work = WorkBeside(model, IntervalUnion(std::move(setups)));
    for (const model::ProfilerInterval& interval : model.profiler_intervals) {
      if (interval.work != model::ProfilerWork::kSetup) continue;
      for (const Interval& one : work.intervals()) {
        const Interval both = {std::max(one.start_ns, interval.begin_ns),
                               std::min(one.end_ns, interval.end_ns)};
        if (both.start_ns < both.end_ns) waits[interval.thread].push_back(both);
      }
    }
  }
  return UnionsOf(std::move(waits));
}

}  // namespace prof::analyzer
