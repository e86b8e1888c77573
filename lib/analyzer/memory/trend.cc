// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/memory/trend.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "lib/analyzer/base/statistics.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

constexpr size_t kMostLevels = 300;  // of which all pairs are taken
constexpr double kNormal95 = 1.96;   // of a normal distribution, two-sided 95 %

using Parts = std::array<double, kDriftParts>;

// Medians of equal parts.
Parts LevelMedians(const std::vector<double>& levels) {
  Parts parts;
  for (size_t i = 0; i < kDriftParts; ++i) {
    const size_t begin = i * levels.size() / kDriftParts;
    const size_t end = std::max(begin + 1, (i + 1) * levels.size() / kDriftParts);
    std::vector<double> part(levels.begin() + static_cast<ptrdiff_t>(begin),
                             levels.begin() + static_cast<ptrdiff_t>(end));
    parts[i] = Summarize(part.begin(), part.end()).median;
  }
  return parts;
}

void SetSlope(const std::vector<double>& levels, Trend* trend) {
  const size_t n = std::min(levels.size(), kMostLevels);
  std::vector<double> slopes;
  slopes.reserve(n * (n - 1) / 2);
  const auto at = [&](size_t i) { return i * (levels.size() - 1) / (n - 1); };
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = i + 1; j < n; ++j) {
      slopes.push_back((levels[at(j)] - levels[at(i)]) / static_cast<double>(at(j) - at(i)));
    }
  }
  std::sort(slopes.begin(), slopes.end());
  const auto pairs = static_cast<double>(slopes.size()), count = static_cast<double>(n);
  const double half =
      kNormal95 * std::sqrt(count * (count - 1) * (2 * count + 5) / 18) / 2;  // of Kendall's sum
  const auto rank = [&](double place) {
    return slopes[static_cast<size_t>(std::clamp(place, 0.0, pairs - 1))];
  };
  trend->at_least = rank(std::floor(pairs / 2 - half));
  trend->at_most = rank(std::ceil(pairs / 2 + half));
  trend->slope = Summarize(slopes.begin(), slopes.end()).median;
}

// The share of all pairs of parts in which the later one is higher (Kendall); equal ones are half.
double RisingShare(const Parts& parts) {
  double rising = 0, pairs = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    for (size_t j = i + 1; j < parts.size(); ++j, ++pairs) {
      rising += parts[j] > parts[i] ? 1 : parts[j] == parts[i] ? 0.5 : 0;
    }
  }
  return rising / pairs;
}

// The chance of so many rises from part to part, or more, if each change were as likely a fall.
double ChanceOfRises(const Parts& parts) {
  int rises = 0, changes = 0;
  for (size_t i = 1; i < parts.size(); ++i) {
    rises += parts[i] > parts[i - 1] ? 1 : 0;
    changes += parts[i] != parts[i - 1] ? 1 : 0;
  }
  double chance = 0, ways = 1;  // `ways` to have `k` falls
  for (int k = 0; k <= changes - rises; ++k) {
    chance += ways;
    ways = ways * (changes - k) / (k + 1);
  }
  return chance / std::exp2(changes);
}

bool IsOneJump(const Parts& parts) {
  double jump = 0;
  for (size_t i = 1; i < parts.size(); ++i) jump = std::max(jump, parts[i] - parts[i - 1]);
  return jump >= kDriftJump * (parts.back() - parts.front());
}

// The growth has ended, or does so: the last third has less than half of the first third's.
bool Settles(const Parts& parts) {
  constexpr size_t kThird = kDriftParts / 3, kLast = kDriftParts - 1;
  const double first = parts[kThird] - parts[0], last = parts[kLast] - parts[kLast - kThird];
  return last < kSettled * first || parts[kLast] <= parts[kLast - 2];
}

}  // namespace

Trend FindTrend(const std::vector<double>& levels) {
  Trend trend;
  if (levels.size() < kDriftParts) {
    trend.why_not = "too few steps";
    return trend;
  }
  SetSlope(levels, &trend);
  const Parts parts = LevelMedians(levels);
  const double growth = parts.back() - parts.front();
  if (growth <= 0) return trend;
  if (growth < kLeastGrowthBytes) {
    trend.why_not = "it is less than " + text::Bytes(kLeastGrowthBytes) + " in all";
  } else if (IsOneJump(parts)) {
    trend.why_not = "half of it or more came at once";
  } else if (Settles(parts)) {
    trend.why_not = "it settles";
  } else if (trend.at_least <= 0 || RisingShare(parts) < kDriftRising ||
             ChanceOfRises(parts) > kChanceOfGrowth) {
    trend.why_not = "it is not steady";
  } else {
    trend.grows = true;
  }
  return trend;
}

}  // namespace prof::analyzer
