// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/base/statistics.h"

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

}  // namespace prof::analyzer
