// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/pm/steady_samples.h"

#include <algorithm>
#include <limits>

#include "lib/format/triage_metrics.h"

namespace prof::cupti {

bool AreSteady(const std::vector<double>& values, const std::vector<std::string>& metrics,
               size_t first) {
  constexpr size_t kLeastRows = 32;  // fewer say little
  constexpr double kSteadyPart = 0.9;
  const auto metric = std::find_if(metrics.begin(), metrics.end(), [](const std::string& name) {
    const format::TriageMetric* known = format::FindTriageMetric(name);
    return known != nullptr && known->unit == format::TriageUnit::kSmActive;
  });
  if (metric == metrics.end() || values.size() / metrics.size() < first + kLeastRows) return false;
  const auto column = static_cast<size_t>(metric - metrics.begin());
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (size_t i = first * metrics.size() + column; i < values.size(); i += metrics.size()) {
    const double active = values[i];
    if (!(active > 0)) return false;
    least = std::min(least, active);
    most = std::max(most, active);
  }
  return least >= kSteadyPart * most;
}

}  // namespace prof::cupti
