// SPDX-License-Identifier: Apache-2.0
#include "lib/report/base/column_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lib/text/numbers.h"

namespace prof::report {
namespace {

// What a sum of parts may miss of its whole.
constexpr double kRoundingError = 1e-9;

}  // namespace

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
  return RoundToSum(values, decimals,
                    std::vector<double>(values.size(), std::numeric_limits<double>::infinity()));
}

std::vector<double> RoundToSum(const std::vector<double>& values, int decimals,
                               const std::vector<double>& most) {
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
  // Those that stay within their `most` come first; a 0 is the last to become more.
  const auto beyond = [&](size_t i) {
    return rests[i] <= 0 || floors[i] + 1 > most[i] * scale + kRoundingError;
  };
  std::stable_partition(order.begin(), order.end(), [&](size_t i) { return !beyond(i); });
  double missing = std::round(sum) - std::accumulate(floors.begin(), floors.end(), 0.0);
  for (const size_t i : order) {
    if (missing < 0.5) break;
    floors[i] += 1;
    missing -= 1;
  }
  for (double& value : floors) value /= scale;
  return floors;
}

double RoundedTo(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return std::round(value * scale) / scale;
}

std::string PartPercent(double fraction) {
  if (!(fraction >= 0.995 && fraction < 1 - kRoundingError)) return text::ShortPercent(fraction);
  return fraction >= 0.9995 ? ">99.9 %" : text::Percent(fraction);
}

}  // namespace prof::report
