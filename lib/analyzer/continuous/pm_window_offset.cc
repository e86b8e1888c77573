// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/pm_window_offset.h"

#include <algorithm>
#include <cmath>

#include "lib/analyzer/continuous/pm_chance.h"

namespace prof::analyzer {
namespace {

constexpr double kLeastDeviationNs = 100;  // no window has more say than by this
// The standard deviation of normal values over the median of their distances from the median, and
// the standard error of a median over that of a mean.
constexpr double kMedianDeviation = 1.4826, kErrorOfMedian = 1.2533;

struct Weighed {
  double value, weight;
};

double WeightedMedian(std::vector<Weighed> values) {
  std::sort(values.begin(), values.end(),
            [](const Weighed& a, const Weighed& b) { return a.value < b.value; });
  double half = 0;
  for (const Weighed& one : values) half += one.weight / 2;
  for (size_t i = 0; i < values.size(); ++i) {
    half -= values[i].weight;
    if (half > 0) continue;
    return half == 0 && i + 1 < values.size() ? (values[i].value + values[i + 1].value) / 2
                                              : values[i].value;
  }
  return 0;
}

}  // namespace

PmMedianOffset MedianOffset(const std::vector<PmWindowOffset>& windows) {
  std::vector<Weighed> values, away;
  double weights = 0, squares = 0;
  for (const PmWindowOffset& window : windows) {
    const double deviation = std::max(window.deviation, kLeastDeviationNs);
    const double weight = 1 / (deviation * deviation);
    values.push_back({window.ns, weight});
    weights += weight;
    squares += weight * weight;
  }
  const double ns = WeightedMedian(values);
  if (windows.size() < 2) return {ns, HUGE_VAL};
  for (const Weighed& one : values) away.push_back({std::abs(one.value - ns), one.weight});
  const double count = weights * weights / squares;  // windows of equal weight with the same error
  const double distance = WeightedMedian(away);
  const double by_chance = StudentQuantile(std::max(1.0, count - 1)) * kErrorOfMedian *
                           kMedianDeviation * distance / std::sqrt(count);
  // Windows with the same kernels may all be off alike: half of them lie outside of the distance.
  return {ns, std::max(distance, by_chance)};
}

double Dispersion(const std::vector<PmWindowOffset>& windows) {
  const double ns = MedianOffset(windows).ns;
  std::vector<Weighed> away, expected;
  for (const PmWindowOffset& window : windows) {
    away.push_back({std::abs(window.ns - ns), 1});
    expected.push_back({window.deviation, 1});
  }
  const double deviation = WeightedMedian(expected);
  const double ratio = deviation > 0 ? kMedianDeviation * WeightedMedian(away) / deviation : 1;
  return std::max(1.0, ratio * ratio);
}

PmOffsetLine LineThrough(const std::vector<PmWindowOffset>& windows) {
  const double ns = MedianOffset(windows).ns;
  if (windows.empty()) return {};
  const auto [begin, end] =
      std::minmax_element(windows.begin(), windows.end(),
                          [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
  const int64_t begin_ns = begin->time_ns;
  const auto length_ns = static_cast<double>(end->time_ns - begin_ns);
  const auto time = [&](const PmWindowOffset& window) {  // 0 to 1
    return static_cast<double>(window.time_ns - begin_ns) / length_ns;
  };
  std::vector<Weighed> slopes, starts, around_line, around_median;
  for (const PmWindowOffset& a : windows) {
    for (const PmWindowOffset& b : windows) {
      const double apart = static_cast<double>(b.time_ns - a.time_ns) / length_ns;
      if (apart > 0) slopes.push_back({(b.ns - a.ns) / apart, apart});
    }
  }
  if (slopes.empty()) return {ns, ns, 1};
  const double slope = WeightedMedian(slopes);
  for (const PmWindowOffset& window : windows) {
    starts.push_back({window.ns - slope * time(window), 1});
  }
  const double start = WeightedMedian(starts);
  for (const PmWindowOffset& window : windows) {
    around_line.push_back({std::abs(window.ns - start - slope * time(window)), 1});
    around_median.push_back({std::abs(window.ns - ns), 1});
  }
  const double all = WeightedMedian(around_median);
  return {start + slope / 6, start + slope * 5 / 6,
          all > 0 ? WeightedMedian(around_line) / all : 1};
}

}  // namespace prof::analyzer
