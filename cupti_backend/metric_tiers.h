// SPDX-License-Identifier: Apache-2.0
//
// Which metrics answer which question. docs/counters.md says why each one is here.
#ifndef PROF_CUPTI_BACKEND_METRIC_TIERS_H_
#define PROF_CUPTI_BACKEND_METRIC_TIERS_H_

#include <string>
#include <vector>

#include "prof/session.h"

namespace prof::cupti {

struct MetricTier {
  std::string name;  // "T1"
  // Lists whose members are read together in one pass where the chip can: a ratio's halves, the
  // constituents of one throughput.
  std::vector<std::string> metrics;
};

// The tiers of a counter level, cheapest first, then the user's own list as tier "user".
std::vector<MetricTier> TiersOf(Counters counters, const std::vector<std::string>& user);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_METRIC_TIERS_H_
