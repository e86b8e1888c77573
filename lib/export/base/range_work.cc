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

// Adds up what the open ranges of each thread have launched.
class OpenRanges {
 public:
  OpenRanges(const Events& events, const Selection& selection,
             const std::function<void(const RangeWork&)>& visit)
      : operations_(events.operations()),
        launches_(LaunchesOf(operations_, selection)),
        visit_(visit) {}

  static bool Wants(const TorchOpEvent& op) { return op.kind == TorchOpKind::kUser; }

  void Begin(const RangeEvent& range) { open_[range.thread].push_back({true, range, {}}); }
  void Begin(const TorchOpEvent& scope, size_t /*row*/) {
    Begin({scope.path, scope.thread, scope.start_ns, scope.end_ns, scope.closed});
  }
  void Begin(const CallEvent& call, size_t row) {
    Open& one = open_[call.thread].emplace_back();
    const auto of_call = static_cast<int64_t>(row);
    for (auto at =
             std::lower_bound(launches_.begin(), launches_.end(), std::pair(of_call, size_t{0}));
         at != launches_.end() && at->first == of_call; ++at) {
      const OperationEvent op = operations_[at->second];
      Add({op.device, op.stream}, {op.start_ns, op.end_ns}, &one.work);
    }
  }
  template <typename Event>
  void Crosses(const Event& /*its work is not known*/) {}

  void End(const SliceEnd& slice) {
    std::vector<Open>& of_thread = open_[slice.thread];
    const Open one = std::move(of_thread.back());
    of_thread.pop_back();
    for (const auto& [stream, stretch] : one.work) {
      if (!of_thread.empty()) Add(stream, stretch, &of_thread.back().work);
      if (!one.is_range) continue;
      visit_({one.range, stream.first, stream.second, stretch.first, stretch.second});
    }
  }

 private:
  // A range or a call that has begun, and what was launched in it so far.
  struct Open {
    bool is_range = false;
    RangeEvent range;
    Stretches work;
  };

  EventTable<OperationEvent> operations_;
  Launches launches_;
  const std::function<void(const RangeWork&)>& visit_;
  std::unordered_map<uint32_t, std::vector<Open>> open_;  // by thread; the innermost last
};

}  // namespace

void VisitRangeWork(const Events& events, const Selection& selection,
                    const std::function<void(const RangeWork&)>& visit) {
  OpenRanges ranges(events, selection, visit);
  VisitHostSlices(events, selection, &ranges);
}

}  // namespace prof::exporting
