// SPDX-License-Identifier: Apache-2.0
//
// Which metrics answer which question, by the names that a chip has for them. docs/counters.md says
// why each one is here.
#ifndef PROF_CUPTI_BACKEND_METRICS_METRIC_TIERS_H_
#define PROF_CUPTI_BACKEND_METRICS_METRIC_TIERS_H_

#include <string>
#include <vector>

#include "cupti_backend/metrics/metric_host.h"
#include "prof/session.h"

namespace prof::cupti {

// How long the counters of a range ran: 5 to 12 us longer than the kernel in it on an H200. It is
// read with every group of hardware counters, so that the analyzer can relate each percentage to
// the kernel's own time.
inline constexpr const char* kWindowMetric = "gpu__time_duration.sum";

// The SM clock, of one group of the cheapest tier.
inline constexpr const char* kClockMetric = "gpc__cycles_elapsed.avg.per_second";

struct MetricGroup {
  std::vector<std::string> metrics;  // belong together: of one launch where they fit one pass
  std::vector<std::string> extras;   // welcome where they cost no further pass of the tier
};

struct MetricTier {
  std::string name;  // "T1"
  std::vector<MetricGroup> groups;
  // Throughputs that the analyzer puts together from what was read of their parts.
  std::vector<std::string> throughputs;
};

// "pulse", "T1", "T2", "T3", "T4", "SOL".
std::vector<std::string> TierNames();

// The tiers of a counter level, cheapest first, then the user's own list as tier "user". Of names
// that differ between chips the one is taken that `host` has and reads in one pass; where there is
// none the usual name stays, for the planner to say so.
std::vector<MetricTier> TiersOf(const MetricHost& host, Counters counters,
                                const std::vector<std::string>& user);
// One of TierNames(); without groups when `name` is not.
MetricTier TierNamed(const MetricHost& host, const std::string& name);
MetricTier UserTier(const std::vector<std::string>& metrics);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_METRICS_METRIC_TIERS_H_
