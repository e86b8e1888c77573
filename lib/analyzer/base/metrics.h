// SPDX-License-Identifier: Apache-2.0
//
// Metrics by name, whether they are of a kernel or of a whole.
#ifndef PROF_LIB_ANALYZER_BASE_METRICS_H_
#define PROF_LIB_ANALYZER_BASE_METRICS_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "lib/format/metric_aliases.h"
#include "prof/report.h"

namespace prof::analyzer {

using Metrics = std::map<std::string, Statistic, std::less<>>;

// By CUPTI name, or by the name that the metric has on this chip; nullptr when it was not measured.
inline const Statistic* FindIn(const Metrics& metrics, std::string_view name) {
  auto it = metrics.find(name);
  if (it == metrics.end()) it = metrics.find(format::OtherName(name));
  return it == metrics.end() || it->second.n == 0 ? nullptr : &it->second;
}

inline std::optional<double> MedianIn(const Metrics& metrics, std::string_view name) {
  const Statistic* const found = FindIn(metrics, name);
  return found == nullptr ? std::nullopt : std::optional<double>(found->median);
}

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_METRICS_H_
