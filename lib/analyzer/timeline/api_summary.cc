// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/api_summary.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "lib/analyzer/base/intervals.h"

namespace prof::analyzer {
namespace {

// What prof did on the program's threads, by thread.
class OwnWork {
 public:
  explicit OwnWork(const model::Model& model) : threads_(model.threads.size()) {
    for (const model::ProfilerInterval& interval : model.profiler_intervals) {
      Thread& thread = threads_[interval.thread];
      thread.intervals.push_back({interval.begin_ns, interval.end_ns});
      thread.shortest_ns =
          std::min(thread.shortest_ns, std::max<int64_t>(interval.end_ns - interval.begin_ns, 1));
    }
  }

  // In a call: intervals that begin and end in it. One that contains the call is a counted range,
  // in which calls are the program's own. Most calls are shorter than any interval.
  [[nodiscard]] int64_t WithinNs(const model::ApiCall& call) const {
    const Thread& thread = threads_[call.thread];
    if (call.end_ns - call.start_ns < thread.shortest_ns) return 0;
    auto interval =
        std::lower_bound(thread.intervals.begin(), thread.intervals.end(), call.start_ns,
                         [](const Interval& a, int64_t time_ns) { return a.start_ns < time_ns; });
    int64_t own_ns = 0, counted_until_ns = call.start_ns;
    for (; interval != thread.intervals.end() && interval->start_ns < call.end_ns; ++interval) {
      if (interval->end_ns > call.end_ns) continue;
      const int64_t begin_ns = std::max(interval->start_ns, counted_until_ns);
      own_ns += std::max<int64_t>(interval->end_ns - begin_ns, 0);
      counted_until_ns = std::max(counted_until_ns, interval->end_ns);
    }
    return own_ns;
  }

 private:
  struct Thread {
    Intervals intervals;  // sorted by begin
    int64_t shortest_ns = std::numeric_limits<int64_t>::max();
  };
  std::vector<Thread> threads_;
};

}  // namespace

std::vector<ApiSummary> SummarizeApiCalls(const model::Model& model) {
  const OwnWork own(model);
  std::vector<ApiSummary> by_name(model.strings.size());
  for (const model::ApiCall& call : model.api_calls) {
    ApiSummary& summary = by_name[call.name];
    const auto length_ns = static_cast<double>(call.end_ns - call.start_ns - own.WithinNs(call));
    ++summary.count;
    summary.total_ns += length_ns;
    summary.longest_ns = std::max(summary.longest_ns, length_ns);
    if (call.error != 0) ++summary.failed;
  }
  std::vector<ApiSummary> result;
  for (size_t i = 0; i < by_name.size(); ++i) {
    if (by_name[i].count == 0) continue;
    by_name[i].name = model.strings[i];
    result.push_back(by_name[i]);
  }
  std::sort(result.begin(), result.end(), [](const ApiSummary& a, const ApiSummary& b) {
    return std::tie(b.total_ns, a.name) < std::tie(a.total_ns, b.name);
  });
  return result;
}

}  // namespace prof::analyzer
