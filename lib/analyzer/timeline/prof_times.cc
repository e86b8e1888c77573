// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/prof_times.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace prof::analyzer {
namespace {

// What both have in common.
Intervals Common(const Intervals& a, const Intervals& b) {
  Intervals common;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Interval both = {std::max(a[i].start_ns, b[j].start_ns),
                           std::min(a[i].end_ns, b[j].end_ns)};
    if (both.start_ns < both.end_ns) common.push_back(both);
    a[i].end_ns < b[j].end_ns ? ++i : ++j;
  }
  return common;
}

// The operations that ran at some time of `times`.
Intervals WorkBeside(const model::Model& model, const Intervals& times) {
  Intervals work;
  size_t next = 0;  // of `times`: the first that ends behind the start of the operation
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const model::Op op = model.ops[i];
    if (op.end_ns == 0) break;  // those without times come last
    while (next < times.size() && times[next].end_ns <= op.start_ns) ++next;
    if (next == times.size()) break;
    if (op.end_ns > times[next].start_ns) work.push_back({op.start_ns, op.end_ns});
  }
  return work;
}

}  // namespace

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

std::vector<IntervalUnion> ProfWaits(const model::Model& model,
                                     const std::vector<IntervalUnion>& prof) {
  Intervals all;
  for (const IntervalUnion& of_thread : prof) {
    all.insert(all.end(), of_thread.intervals().begin(), of_thread.intervals().end());
  }
  std::vector<IntervalUnion> waits(prof.size());
  if (all.empty()) return waits;
  const IntervalUnion work(WorkBeside(model, IntervalUnion(std::move(all)).intervals()));
  for (size_t thread = 0; thread < prof.size(); ++thread) {
    waits[thread] = IntervalUnion(Common(prof[thread].intervals(), work.intervals()));
  }
  return waits;
}

}  // namespace prof::analyzer
