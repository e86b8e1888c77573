// SPDX-License-Identifier: Apache-2.0
//
// Which metrics answer which question. docs/counters.md says why each one is here.
#ifndef PROF_CUPTI_BACKEND_METRIC_TIERS_H_
#define PROF_CUPTI_BACKEND_METRIC_TIERS_H_

#include <string>
#include <vector>

#include "prof/session.h"

namespace prof::cupti {

// How long the counters of a range ran: 5 to 12 us longer than the kernel in it on an H200. It is
// read with every group, so that the analyzer can relate each percentage to the kernel's own time.
inline constexpr const char* kWindowMetric = "gpu__time_duration.sum";

// The SM clock, of one group of the cheapest tier.
inline constexpr const char* kClockMetric = "gpc__cycles_elapsed.avg.per_second";

using MetricGroup = std::vector<std::string>;

struct MetricTier {
  std::string name;  // "T1"
  std::vector<MetricGroup> groups;
};

// The tiers of a counter level, cheapest first, then the user's own list as tier "user".
std::vector<MetricTier> TiersOf(Counters counters, const std::vector<std::string>& user);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_METRIC_TIERS_H_
