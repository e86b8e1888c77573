// SPDX-License-Identifier: Apache-2.0
//
// This file brings the ranges and calls of all threads into one order of time, as beginnings and
// ends that nest.
#ifndef PROF_LIB_EXPORT_BASE_HOST_SLICES_H_
#define PROF_LIB_EXPORT_BASE_HOST_SLICES_H_

#include <cstddef>
#include <cstdint>
#include <queue>
#include <vector>

#include "lib/export/base/selection.h"
#include "prof/events.h"

namespace prof::exporting {

// Where a slice ends, and on which thread.
struct SliceEnd {
  int64_t time_ns = 0;
  uint32_t thread = 0;
};

// Calls `begin_range(range)`, `begin_call(call, row)` and `end(slice_end)` in the order of time.
// Where an end and a beginning have one time, the end comes first. It keeps the open slices only.
template <typename BeginRange, typename BeginCall, typename End>
void VisitHostSlices(const Events& events, const Selection& selection, BeginRange begin_range,
                     BeginCall begin_call, End end) {
  const EventTable<RangeEvent> ranges = events.ranges();
  const EventTable<CallEvent> calls = events.calls();
  const auto later = [](const SliceEnd& a, const SliceEnd& b) { return a.time_ns > b.time_ns; };
  std::priority_queue<SliceEnd, std::vector<SliceEnd>, decltype(later)> open(later);
  const auto end_until = [&](int64_t time_ns) {
    for (; !open.empty() && open.top().time_ns <= time_ns; open.pop()) end(open.top());
  };
  size_t range_row = 0, call_row = 0;
  RangeEvent range;
  CallEvent call;
  const auto next_range = [&] {
    for (; range_row < ranges.size(); ++range_row) {
      range = ranges[range_row];
      if (selection.Has(range, range_row)) return;
    }
  };
  const auto next_call = [&] {
    for (; call_row < calls.size(); ++call_row) {
      call = calls[call_row];
      if (selection.Has(call, call_row)) return;
    }
  };
  next_range();
  next_call();
  while (range_row < ranges.size() || call_row < calls.size()) {
    const bool is_range =
        call_row == calls.size() || (range_row < ranges.size() && range.start_ns <= call.start_ns);
    end_until(is_range ? range.start_ns : call.start_ns);
    if (is_range) {
      begin_range(range);
      open.push({range.end_ns, range.thread});
      ++range_row;
      next_range();
    } else {
      begin_call(call, call_row);
      open.push({call.end_ns, call.thread});
      ++call_row;
      next_call();
    }
  }
  while (!open.empty()) {
    end(open.top());
    open.pop();
  }
}

}  // namespace prof::exporting

#endif  // PROF_LIB_EXPORT_BASE_HOST_SLICES_H_
