// SPDX-License-Identifier: Apache-2.0
#include "lib/export/base/time_span.h"

#include <algorithm>
#include <limits>

namespace prof::exporting {
namespace {

template <typename Event>
void AddEnds(const EventTable<Event>& table, int64_t* end_ns) {
  for (const Event& event : table) *end_ns = std::max(*end_ns, event.end_ns);
}

}  // namespace

int64_t TimeAfterBegin(const Events& events, int64_t offset_ns) {
  int64_t time_ns = 0;
  if (!__builtin_add_overflow(events.process().start_ns, offset_ns, &time_ns)) return time_ns;
  using Limits = std::numeric_limits<int64_t>;
  return offset_ns > 0 ? Limits::max() : Limits::min();
}

int64_t BeginOf(const Events& events) {
  int64_t begin_ns = events.process().start_ns;
  const auto add = [&](int64_t time_ns) { begin_ns = std::min(begin_ns, time_ns); };
  if (!events.operations().empty() && events.operations()[0].timed) {
    add(events.operations()[0].start_ns);
  }
  if (!events.calls().empty()) add(events.calls()[0].start_ns);
  if (!events.ranges().empty()) add(events.ranges()[0].start_ns);
  if (!events.spans().empty()) add(events.spans()[0].start_ns);
  for (const MarkEvent& mark : events.marks()) add(mark.time_ns);
  for (size_t series = 0; series < events.pm_series().size(); ++series) {
    if (!events.pm_samples(series).empty()) add(events.pm_samples(series)[0].start_ns);
  }
  return std::max<int64_t>(begin_ns, 0);
}

int64_t EndOf(const Events& events) {
  int64_t end_ns = std::max(events.process().start_ns, events.process().end_ns);
  for (const OperationEvent& op : events.operations()) {
    if (op.timed) end_ns = std::max(end_ns, op.end_ns);
  }
  AddEnds(events.calls(), &end_ns);
  AddEnds(events.ranges(), &end_ns);
  AddEnds(events.spans(), &end_ns);
  for (const MarkEvent& mark : events.marks()) end_ns = std::max(end_ns, mark.time_ns);
  for (size_t series = 0; series < events.pm_series().size(); ++series) {
    AddEnds(events.pm_samples(series), &end_ns);
  }
  return end_ns;
}

}  // namespace prof::exporting
