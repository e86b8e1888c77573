// SPDX-License-Identifier: Apache-2.0
//
// Metrics are found by CUPTI name, or by the name that they have on this chip.
#ifndef PROF_LIB_ANALYZER_BASE_METRICS_H_
#define PROF_LIB_ANALYZER_BASE_METRICS_H_

#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "lib/format/metric_aliases.h"
#include "prof/statistic.h"

namespace prof::analyzer {

// nullptr when it was not measured.
[[nodiscard]] inline const Statistic* FindIn(const Metrics& metrics, std::string_view name) {
  auto it = metrics.find(name);
  if (it == metrics.end()) it = metrics.find(format::OtherName(name));
  return it == metrics.end() || it->second.n == 0 ? nullptr : &it->second;
}

[[nodiscard]] inline std::optional<double> MedianIn(const Metrics& metrics, std::string_view name) {
  const Statistic* const found = FindIn(metrics, name);
  return found == nullptr ? std::nullopt : std::optional<double>(found->median);
}

// For the rules: nullptr also when the median is negative or not finite.
[[nodiscard]] inline const Statistic* FindUsable(const Metrics& metrics, std::string_view name) {
  const Statistic* const found = FindIn(metrics, name);
  const bool usable = found != nullptr && std::isfinite(found->median) && found->median >= 0;
  return usable ? found : nullptr;
}

[[nodiscard]] inline std::optional<double> UsableMedian(const Metrics& metrics,
                                                        std::string_view name) {
  const Statistic* const found = FindUsable(metrics, name);
  return found == nullptr ? std::nullopt : std::optional<double>(found->median);
}

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_METRICS_H_
