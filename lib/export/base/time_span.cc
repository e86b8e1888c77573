// SPDX-License-Identifier: Apache-2.0
#include "lib/export/base/time_span.h"

#include <algorithm>

namespace prof::exporting {

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

}  // namespace prof::exporting
