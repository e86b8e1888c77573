// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/base/ranks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace prof::compare {
namespace {

constexpr size_t kMostExact = 60;  // of all values: 1 ms; the normal approximation is good by then

// Twice the midrank of each value: integers, also for ties.
std::vector<int> DoubledRanks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<int> ranks(values.size());
  for (size_t first = 0; first < order.size();) {
    size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    for (size_t i = first; i <= last; ++i) ranks[order[i]] = static_cast<int>(first + last + 2);
    first = last + 1;
  }
  return ranks;
}

// By (how many of `ranks` are chosen, their sum): in how many ways.
std::vector<std::vector<double>> WaysToChoose(const std::vector<int>& ranks, size_t most) {
  const auto total = static_cast<size_t>(std::accumulate(ranks.begin(), ranks.end(), 0));
  std::vector<std::vector<double>> ways(most + 1, std::vector<double>(total + 1, 0));
  ways[0][0] = 1;
  for (const int rank : ranks) {
    for (size_t chosen = most; chosen > 0; --chosen) {
      for (size_t sum = total; sum + 1 > static_cast<size_t>(rank); --sum) {
        ways[chosen][sum] += ways[chosen - 1][sum - static_cast<size_t>(rank)];
      }
    }
  }
  return ways;
}

double ExactLevel(const std::vector<int>& ranks, size_t chosen, int sum) {
  const std::vector<double> ways = WaysToChoose(ranks, chosen)[chosen];
  const auto at = ways.begin() + sum;
  const double all = std::accumulate(ways.begin(), ways.end(), 0.0);
  const double low = std::accumulate(ways.begin(), at + 1, 0.0);
  const double high = std::accumulate(at, ways.end(), 0.0);
  return std::min(1.0, 2 * std::min(low, high) / all);
}

double ApproximateLevel(const std::vector<int>& ranks, size_t chosen, int sum) {
  const auto n = static_cast<double>(ranks.size()), m = static_cast<double>(chosen);
  double squares = 0;  // of the doubled ranks around their mean: ties make it smaller
  for (const int rank : ranks) squares += (rank - (n + 1)) * (rank - (n + 1));
  const double deviation = std::sqrt(m * (n - m) / (n * (n - 1)) * squares);
  if (!(deviation > 0)) return 1;
  const double distance = std::max(0.0, std::abs(sum - m * (n + 1)) - 1);  // for continuity
  return std::erfc(distance / deviation / std::sqrt(2.0));
}

}  // namespace

double MannWhitney(const std::vector<double>& before, const std::vector<double>& after) {
  if (before.empty() || after.empty()) return 1;
  std::vector<double> all = before;
  all.insert(all.end(), after.begin(), after.end());
  const std::vector<int> ranks = DoubledRanks(all);
  const auto end = ranks.begin() + static_cast<ptrdiff_t>(before.size());
  const int sum = std::accumulate(ranks.begin(), end, 0);
  return all.size() <= kMostExact ? ExactLevel(ranks, before.size(), sum)
                                  : ApproximateLevel(ranks, before.size(), sum);
}

double LeastLevel(int64_t before, int64_t after) {
  double ways = 1;  // C(before + after, before)
  for (int64_t i = 1; i <= before; ++i) {
    ways *= static_cast<double>(after + i) / static_cast<double>(i);
  }
  return std::min(1.0, 2 / ways);
}

std::vector<double> Holm(const std::vector<double>& levels) {
  std::vector<size_t> order(levels.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return levels[a] < levels[b]; });
  std::vector<double> corrected(levels.size());
  double largest = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const auto left = static_cast<double>(order.size() - i);
    largest = std::max(largest, std::min(1.0, levels[order[i]] * left));
    corrected[order[i]] = largest;
  }
  return corrected;
}

}  // namespace prof::compare
