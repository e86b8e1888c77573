// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/timeline/idle_start.h"

#include <algorithm>

#include "lib/analyzer/base/thresholds.h"

namespace prof::analyzer {

IdleStart FindIdleStart(const DeviceTimeline& device) {
  const auto length_of = [](const Gap& gap) {
    return static_cast<double>(gap.of_cause_ns(GapCause::kHostWork));
  };
  double all_ns = 0;
  for (const Gap& gap : device.gaps) {
    if (length_of(gap) >= kLongGapNs) all_ns += length_of(gap);
  }
  const auto run_ns = static_cast<double>(device.undisturbed_ns());
  int64_t disturbed_ns = 0;  // so far
  IdleStart until_now, start;
  double idle_ns = 0;  // with what went to the loading of code
  for (const Gap& gap : device.gaps) {
    disturbed_ns += gap.disturbed_ns;
    const double time_ns = length_of(gap);
    const double both_ns = time_ns + static_cast<double>(gap.of_cause_ns(GapCause::kLoading));
    if (both_ns >= kLongGapNs) idle_ns += both_ns;
    if (time_ns < kLongGapNs) continue;
    until_now.total_ns += time_ns;
    until_now.end_ns = gap.end_ns;
    ++until_now.count;
    const auto length_ns = static_cast<double>(gap.end_ns - device.start_ns - disturbed_ns);
    // Where the start is over, gaps of a loop that are just long enough do not make it longer.
    const bool matters = start.count == 0 || time_ns >= kOneMoreOfStart * all_ns;
    if (matters && until_now.total_ns >= std::max(kStartNs, kMostOfStart * all_ns) &&
        idle_ns >= kIdleInStart * length_ns && length_ns <= kLongestStart * run_ns) {
      start = until_now;
    }
  }
  return start;
}

}  // namespace prof::analyzer
