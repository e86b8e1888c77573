// SPDX-License-Identifier: Apache-2.0
#include "lib/export/base/range_work.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/export/base/host_slices.h"

namespace prof::exporting {
namespace {

using StreamId = std::pair<uint32_t, uint32_t>;  // device, stream
using Stretches = std::map<StreamId, std::pair<int64_t, int64_t>>;

void Add(const StreamId& stream, const std::pair<int64_t, int64_t>& stretch, Stretches* all) {
  const auto [known, added] = all->try_emplace(stream, stretch);
  if (added) return;
  known->second.first = std::min(known->second.first, stretch.first);
  known->second.second = std::max(known->second.second, stretch.second);
}

// A range or a call that has begun, and what was launched in it so far.
struct Open {
  bool is_range = false;
  RangeEvent range;
  Stretches work;
};

// Operations by the call that launched them.
using Launches = std::vector<std::pair<int64_t, size_t>>;

Launches LaunchesOf(const EventTable<OperationEvent>& operations, const Selection& selection) {
  Launches launches;
  for (size_t row = 0; row < operations.size(); ++row) {
    const OperationEvent op = operations[row];
    if (op.call >= 0 && selection.Has(op, row)) launches.emplace_back(op.call, row);
  }
  std::sort(launches.begin(), launches.end());
  return launches;
}

}  // namespace

void VisitRangeWork(const Events& events, const Selection& selection,
                    const std::function<void(const RangeWork&)>& visit) {
  const EventTable<OperationEvent> operations = events.operations();
  const Launches launches = LaunchesOf(operations, selection);
  std::unordered_map<uint32_t, std::vector<Open>> open;  // by thread; the innermost last
  const auto begin_range = [&](const RangeEvent& range) {
    open[range.thread].push_back({true, range, {}});
  };
  const auto begin_call = [&](const CallEvent& call, size_t row) {
    Open& one = open[call.thread].emplace_back();
    const auto of_call = static_cast<int64_t>(row);
    for (auto at =
             std::lower_bound(launches.begin(), launches.end(), std::pair(of_call, size_t{0}));
         at != launches.end() && at->first == of_call; ++at) {
      const OperationEvent op = operations[at->second];
      Add({op.device, op.stream}, {op.start_ns, op.end_ns}, &one.work);
    }
  };
  const auto end = [&](const SliceEnd& slice) {
    std::vector<Open>& of_thread = open[slice.thread];
    const Open one = std::move(of_thread.back());
    of_thread.pop_back();
    for (const auto& [stream, stretch] : one.work) {
      if (!of_thread.empty()) Add(stream, stretch, &of_thread.back().work);
      if (!one.is_range) continue;
      visit({one.range, stream.first, stream.second, stretch.first, stretch.second});
    }
  };
  VisitHostSlices(events, selection, begin_range, begin_call, end);
}

}  // namespace prof::exporting
