// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/loading_times.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "lib/analyzer/timeline/prof_times.h"
#include "lib/snapshot/model/overhead_class.h"

namespace prof::analyzer {
namespace {

// A launch that prof held up is long, and need not have loaded anything meanwhile.
void AddWithoutProf(const Interval& whole, const IntervalUnion& prof, Intervals* times) {
  int64_t from_ns = whole.start_ns;
  const Intervals& all = prof.intervals();
  auto held = std::partition_point(
      all.begin(), all.end(), [&](const Interval& one) { return one.end_ns <= whole.start_ns; });
  for (; held != all.end() && held->start_ns < whole.end_ns; ++held) {
    if (held->start_ns > from_ns) times->push_back({from_ns, held->start_ns});
    from_ns = held->end_ns;
  }
  if (from_ns < whole.end_ns) times->push_back({from_ns, whole.end_ns});
}

}  // namespace

std::vector<Intervals> LoadingTimes(const model::Model& model) {
  std::vector<Intervals> times(model.threads.size());
  // An overhead whose thread is not known held up nobody that we could name.
  for (const model::Overhead& overhead : model.overheads) {
    if (overhead.thread == model::kNone || !model::LoadsCode(overhead.kind)) continue;
    times[overhead.thread].push_back({overhead.start_ns, overhead.end_ns});
  }
  std::vector<IntervalUnion> recorded;
  recorded.reserve(times.size());
  for (const Intervals& of_thread : times) recorded.emplace_back(Intervals(of_thread));
  const std::vector<IntervalUnion> prof = ProfTimes(model);
  for (size_t i = 0; i < model.api_calls.size(); ++i) {
    if (!model.api_calls.loads_code(i)) continue;
    const model::ApiCall call = model.api_calls[i];
    if (call.thread == model::kNone) continue;
    const Interval whole{call.start_ns, call.end_ns};
    if (recorded[call.thread].WithinNs(whole) > 0) continue;
    AddWithoutProf(whole, prof[call.thread], &times[call.thread]);
  }
  return times;
}

}  // namespace prof::analyzer
