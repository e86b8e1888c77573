// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/base/sample.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>

namespace prof::compare {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kFewestForModes = 6;
constexpr double kApart = 0.02;        // [own] of the lower mode: less is no second mode
constexpr double kAshmansD = 6;        // [own] see the header
constexpr double kLeastOfMode = 0.15;  // [own] of the values

struct Spread {
  double squares = 0;
  int degrees = 0;
};

Spread LogSquares(const std::vector<double>& values) {
  if (values.size() < 2) return {};
  double mean = 0;
  for (const double value : values) mean += std::log(value) / static_cast<double>(values.size());
  Spread spread;
  for (const double value : values) spread.squares += std::pow(std::log(value) - mean, 2);
  spread.degrees = static_cast<int>(values.size()) - 1;
  return spread;
}

struct Part {
  double mean = 0, variance = 0;
};

Part Describe(std::vector<double>::const_iterator first, std::vector<double>::const_iterator last) {
  const auto n = static_cast<double>(last - first);
  Part part;
  part.mean = std::accumulate(first, last, 0.0) / n;
  for (auto it = first; it != last; ++it) {
    part.variance += (*it - part.mean) * (*it - part.mean) / n;
  }
  return part;
}

}  // namespace

std::vector<double> Present(const std::vector<double>& values) {
  std::vector<double> present;
  for (const double value : values) {
    if (std::isfinite(value) && value > 0) present.push_back(value);
  }
  return present;
}

double Median(std::vector<double> values) {
  if (values.empty()) return kNone;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Statistic SummaryOf(const std::vector<double>& values) {
  const std::vector<double> present = Present(values);
  Statistic summary;
  summary.n = static_cast<int64_t>(present.size());
  summary.median = Median(present);
  summary.min = present.empty() ? kNone : *std::min_element(present.begin(), present.end());
  summary.max = present.empty() ? kNone : *std::max_element(present.begin(), present.end());
  summary.sum = present.empty() ? kNone : std::accumulate(present.begin(), present.end(), 0.0);
  return summary;
}

std::optional<double> LogSpread(const std::vector<double>& values) {
  const Spread spread = LogSquares(values);
  if (spread.degrees == 0) return std::nullopt;
  return std::sqrt(spread.squares / spread.degrees);
}

std::optional<double> PooledLogSpread(const std::vector<double>& before,
                                      const std::vector<double>& after, int least) {
  const Spread a = LogSquares(before), b = LogSquares(after);
  const int degrees = a.degrees + b.degrees;
  if (degrees == 0 || degrees < least) return std::nullopt;
  return std::sqrt((a.squares + b.squares) / degrees);
}

std::optional<Modes> FindModes(std::vector<double> values) {
  if (values.size() < kFewestForModes) return std::nullopt;
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  std::optional<Modes> best;
  double least_within = std::numeric_limits<double>::infinity();
  for (size_t split = 1; split < values.size(); ++split) {
    const auto at = values.cbegin() + static_cast<ptrdiff_t>(split);
    const double share = static_cast<double>(split) / n;
    const Part low = Describe(values.cbegin(), at), high = Describe(at, values.cend());
    const double within = share * low.variance + (1 - share) * high.variance;
    if (within >= least_within) continue;
    least_within = within;
    const double apart = high.mean - low.mean;
    const bool are_two = apart * apart * 2 > kAshmansD * kAshmansD * (low.variance + high.variance);
    const bool are_many = std::min(share, 1 - share) >= kLeastOfMode;
    best.reset();
    if (are_two && are_many && apart > kApart * low.mean) {
      best = Modes{low.mean, high.mean, 1 - share};
    }
  }
  return best;
}

double LaunchNoise(const std::vector<double>& quantiles, double launches) {
  if (quantiles.size() < 5 || launches < 2) return kNone;
  const size_t quarter = (quantiles.size() - 1) / 4;
  const double range = quantiles[3 * quarter] - quantiles[quarter];
  const double median = quantiles[2 * quarter];
  return median > 0 ? 1.57 * range / std::sqrt(launches) / 2 / median : kNone;
}

}  // namespace prof::compare
