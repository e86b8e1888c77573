// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/base/statistics.h"

#include <cmath>
#include <numeric>

namespace prof::analyzer {

Statistic SummarizeWeighted(std::vector<WeightedValue>* values) {
  values->erase(std::remove_if(values->begin(), values->end(),
                               [](const WeightedValue& entry) { return !(entry.weight > 0); }),
                values->end());
  std::vector<double> plain;
  plain.reserve(values->size());
  for (const WeightedValue& entry : *values) plain.push_back(entry.value);
  Statistic result = Summarize(plain.begin(), plain.end());
  std::sort(values->begin(), values->end(),
            [](const WeightedValue& a, const WeightedValue& b) { return a.value < b.value; });
  const double all =
      std::accumulate(values->begin(), values->end(), 0.0,
                      [](double sum, const WeightedValue& entry) { return sum + entry.weight; });
  double below = 0;
  for (const WeightedValue& entry : *values) {
    below += entry.weight;
    result.median = entry.value;
    if (below >= all / 2) break;
  }
  return result;
}

ShareInterval WilsonInterval(int64_t part, int64_t all) {
  if (all <= 0) return {};
  constexpr double kNormal95 = 1.96;
  const auto n = static_cast<double>(all);
  const double p = static_cast<double>(part) / n, z2 = kNormal95 * kNormal95;
  const double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
  const double half = kNormal95 * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n);
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

}  // namespace prof::analyzer
