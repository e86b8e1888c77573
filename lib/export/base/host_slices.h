// SPDX-License-Identifier: Apache-2.0
//
// This file brings the ranges, ops of PyTorch and calls of all threads into one order of time, as
// beginnings and ends that nest.
#ifndef PROF_LIB_EXPORT_BASE_HOST_SLICES_H_
#define PROF_LIB_EXPORT_BASE_HOST_SLICES_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <queue>
#include <tuple>
#include <vector>

#include "lib/export/base/selection.h"
#include "prof/events.h"

namespace prof::exporting {

// Where a slice ends, and on which thread.
struct SliceEnd {
  int64_t time_ns = 0;
  uint32_t thread = 0;
  bool of_call = false;
};

// The events of a table that are wanted, one after the other.
template <typename Event>
class WantedEvents {
 public:
  explicit WantedEvents(EventTable<Event> table) : table_(table) {}

  // From `row` on.
  template <typename Wants>
  void Find(size_t row, const Wants& wants) {
    for (row_ = row; row_ < table_.size(); ++row_) {
      event_ = table_[row_];
      if (wants(event_, row_)) return;
    }
  }
  [[nodiscard]] const Event& event() const { return event_; }
  [[nodiscard]] size_t row() const { return row_; }
  // Of two that begin at one time the one that ends later is around the other.
  [[nodiscard]] auto order() const {
    constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
    return row_ < table_.size() ? std::tuple(event_.start_ns, -event_.end_ns)
                                : std::tuple(kNever, kNever);
  }
  [[nodiscard]] bool done() const { return row_ >= table_.size(); }

 private:
  EventTable<Event> table_;
  Event event_;
  size_t row_ = 0;
};

// Calls, in the order of time: `visitor.Begin(range)`, `visitor.Begin(op, row)` for the ops of
// PyTorch that `visitor.Wants(op)`, `visitor.Begin(call, row)`, and `visitor.End(slice_end)`. A
// range or an op that began inside of another one and ends after it does not nest:
// `visitor.Crosses(event)` gets it, and no end. Calls have a clock of their own, and may cross by a
// few nanoseconds. Where an end and a beginning have one time, the end
// comes first. It keeps the open slices only.
template <typename Visitor>
void VisitHostSlices(const Events& events, const Selection& selection, Visitor* visitor) {
  const auto later = [](const SliceEnd& a, const SliceEnd& b) { return a.time_ns > b.time_ns; };
  std::priority_queue<SliceEnd, std::vector<SliceEnd>, decltype(later)> open(later);
  std::vector<std::vector<int64_t>> ends(events.threads().size());  // of open ranges and ops
  const auto end_until = [&](int64_t time_ns) {
    for (; !open.empty() && open.top().time_ns <= time_ns; open.pop()) {
      if (!open.top().of_call) ends[open.top().thread].pop_back();
      visitor->End(open.top());
    }
  };
  const auto push = [&](const auto& event) {
    open.push({event.end_ns, event.thread, false});
    ends[event.thread].push_back(event.end_ns);
  };
  const auto crosses = [&](const auto& event) {
    const std::vector<int64_t>& around = ends[event.thread];
    return !around.empty() && around.back() < event.end_ns;
  };
  WantedEvents<RangeEvent> ranges(events.ranges());
  WantedEvents<TorchOpEvent> ops(events.torch_ops());
  WantedEvents<CallEvent> calls(events.calls());
  const auto selected = [&](const auto& event, size_t row) { return selection.Has(event, row); };
  const auto wanted = [&](const TorchOpEvent& op, size_t row) {
    return visitor->Wants(op) && selection.Has(op, row);
  };
  ranges.Find(0, selected);
  ops.Find(0, wanted);
  calls.Find(0, selected);
  while (!ranges.done() || !ops.done() || !calls.done()) {
    const int64_t call_ns = std::get<0>(calls.order());
    if (!ranges.done() && ranges.order() <= ops.order() && ranges.event().start_ns <= call_ns) {
      end_until(ranges.event().start_ns);
      if (crosses(ranges.event())) {
        visitor->Crosses(ranges.event());
      } else {
        visitor->Begin(ranges.event());
        push(ranges.event());
      }
      ranges.Find(ranges.row() + 1, selected);
    } else if (!ops.done() && ops.event().start_ns <= call_ns) {
      end_until(ops.event().start_ns);
      if (crosses(ops.event())) {
        visitor->Crosses(ops.event());
      } else {
        visitor->Begin(ops.event(), ops.row());
        push(ops.event());
      }
      ops.Find(ops.row() + 1, wanted);
    } else {
      end_until(calls.event().start_ns);
      visitor->Begin(calls.event(), calls.row());
      open.push({calls.event().end_ns, calls.event().thread, true});
      calls.Find(calls.row() + 1, selected);
    }
  }
  end_until(std::numeric_limits<int64_t>::max());
}

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_BASE_HOST_SLICES_H_
