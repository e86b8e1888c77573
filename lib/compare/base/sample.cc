// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/base/sample.h"

#include <algorithm>
#include <array>
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

// What makes 1.4826 * (median absolute deviation) right on average for 2 to 9 normal values; above
// that n / (n - 0.8) (Croux and Rousseeuw, "Time-efficient algorithms for two highly robust
// estimators of scale", 1992).
constexpr std::array<double, 8> kSmallSample = {1.196, 1.495, 1.363, 1.206,
                                                1.200, 1.140, 1.129, 1.107};

double SmallSample(size_t n) {
  const auto count = static_cast<double>(n);
  return n < kSmallSample.size() + 2 ? kSmallSample.at(n - 2) : count / (count - 0.8);
}

struct Part {
  double mean = 0, variance = 0;
};

Part DescribePart(std::vector<double>::const_iterator first,
                  std::vector<double>::const_iterator last) {
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
  if (values.size() < 2) return std::nullopt;
  const double middle = Median(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::abs(std::log(value / middle)));
  return SmallSample(values.size()) * 1.4826 * Median(deviations);
}

std::optional<double> PooledLogSpread(const std::vector<double>& before,
                                      const std::vector<double>& after, int least) {
  double squares = 0;
  int degrees = 0;
  for (const std::vector<double>* side : {&before, &after}) {
    const std::optional<double> spread = LogSpread(*side);
    if (!spread) continue;
    const int own = static_cast<int>(side->size()) - 1;
    squares += own * *spread * *spread;
    degrees += own;
  }
  if (degrees == 0 || degrees < least) return std::nullopt;
  return std::sqrt(squares / degrees);
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
    const Part low = DescribePart(values.cbegin(), at), high = DescribePart(at, values.cend());
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
