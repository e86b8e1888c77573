// SPDX-License-Identifier: Apache-2.0
#include "lib/report/base/column_sums.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prof::report {
TimeUnit UnitFor(double total_ns) {
  // A part of a thousandth must not become 0.
  TimeUnit unit = total_ns < 1e6    ? TimeUnit{"us", 1e3, 0}
                  : total_ns < 1e11 ? TimeUnit{"ms", 1e6, 0}
                                    : TimeUnit{"s", 1e9, 0};
  const double total = total_ns / unit.ns;
  unit.decimals = total >= 100 ? 1 : total >= 10 ? 2 : 3;
  return unit;
}

std::vector<double> RoundToSum(const std::vector<double>& values, int decimals) {
  const double scale = std::pow(10.0, decimals);
  std::vector<double> floors, rests;
  double sum = 0;
  for (const double value : values) {
    const double scaled = std::isfinite(value) && value > 0 ? value * scale : 0;
    floors.push_back(std::floor(scaled));
    rests.push_back(scaled - floors.back());
    sum += scaled;
  }
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return rests[a] > rests[b]; });
  double missing = std::round(sum) - std::accumulate(floors.begin(), floors.end(), 0.0);
  for (const size_t i : order) {
    if (missing < 0.5) break;
    floors[i] += 1;
    missing -= 1;
  }
  for (double& value : floors) value /= scale;
  return floors;
}

}  // namespace prof::report
