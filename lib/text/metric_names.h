// SPDX-License-Identifier: Apache-2.0
//
// CUPTI's metric names, and what can be read from them.
#ifndef PROF_LIB_TEXT_METRIC_NAMES_H_
#define PROF_LIB_TEXT_METRIC_NAMES_H_

#include <string_view>

#include "lib/text/strings.h"

namespace prof::text {

// True for a metric whose values are percentages: 100 is the most that they can be.
[[nodiscard]] inline bool IsPercentMetric(std::string_view metric) {
  return Contains(metric, "pct");
}

}  // namespace prof::text

#endif  // PROF_LIB_TEXT_METRIC_NAMES_H_
