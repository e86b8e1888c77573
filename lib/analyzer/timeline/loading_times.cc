// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/loading_times.h"

#include <cstddef>
#include <utility>

#include "lib/snapshot/model/overhead_class.h"

namespace prof::analyzer {

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
  for (size_t i = 0; i < model.api_calls.size(); ++i) {
    if (!model.api_calls.loads_code(i)) continue;
    const model::ApiCall call = model.api_calls[i];
    if (call.thread == model::kNone) continue;
    const Interval whole{call.start_ns, call.end_ns};
    if (recorded[call.thread].WithinNs(whole) == 0) times[call.thread].push_back(whole);
  }
  return times;
}

}  // namespace prof::analyzer
