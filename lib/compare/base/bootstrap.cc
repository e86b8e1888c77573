// SPDX-License-Identifier: Apache-2.0
#include "lib/compare/base/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>

#include "lib/compare/base/sample.h"

namespace prof::compare {
namespace {

constexpr size_t kFewestForBootstrap = 4;
constexpr double kRootTwo = 1.4142135623730951;

double NormalShare(double value) { return std::erfc(-value / kRootTwo) / 2; }

// The standard library's distributions differ between implementations; this one does not.
size_t Below(std::mt19937_64& random, size_t end) {
  return static_cast<size_t>((random() >> 32) * static_cast<uint64_t>(end) >> 32);
}

std::vector<double> Resampled(const std::vector<double>& values, std::mt19937_64& random) {
  std::vector<double> sample(values.size());
  for (double& value : sample) value = values[Below(random, values.size())];
  return sample;
}

double LogRatio(const std::vector<double>& before, const std::vector<double>& after) {
  return std::log(Median(after) / Median(before));
}

std::vector<double> Without(std::vector<double> values, size_t index) {
  values.erase(values.begin() + static_cast<ptrdiff_t>(index));
  return values;
}

// The acceleration of BCa: the skewness of the ratio when each run in turn is left out.
double Acceleration(const std::vector<double>& before, const std::vector<double>& after) {
  double squares = 0, cubes = 0;
  const auto add = [&](const std::vector<double>& left_out) {
    double mean = 0;
    for (const double value : left_out) mean += value / static_cast<double>(left_out.size());
    for (const double value : left_out) {
      const double off = (mean - value) / static_cast<double>(left_out.size());
      squares += off * off;
      cubes += off * off * off;
    }
  };
  std::vector<double> left_out;
  for (size_t i = 0; i < before.size(); ++i)
    left_out.push_back(LogRatio(Without(before, i), after));
  add(left_out);
  left_out.clear();
  for (size_t i = 0; i < after.size(); ++i) left_out.push_back(LogRatio(before, Without(after, i)));
  add(left_out);
  return squares > 0 ? cubes / (6 * std::pow(squares, 1.5)) : 0;
}

double At(const std::vector<double>& sorted, double share) {
  const double last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<size_t>(std::clamp(share * last + 0.5, 0.0, last))];
}

Ratio Bootstrap(const std::vector<double>& before, const std::vector<double>& after, double alpha,
                int resamples, uint64_t seed) {
  std::mt19937_64 random(seed);
  const double observed = LogRatio(before, after);
  std::vector<double> ratios;
  double below = 0;
  for (int i = 0; i < resamples; ++i) {
    ratios.push_back(LogRatio(Resampled(before, random), Resampled(after, random)));
    below += ratios.back() < observed ? 1 : ratios.back() == observed ? 0.5 : 0;
  }
  std::sort(ratios.begin(), ratios.end());
  const double share = std::clamp(below / resamples, 1.0 / resamples, 1 - 1.0 / resamples);
  const double bias = NormalQuantile(share), acceleration = Acceleration(before, after);
  const auto corrected = [&](double level) {
    const double z = bias + NormalQuantile(level);
    return NormalShare(bias + z / (1 - acceleration * z));
  };
  return {std::exp(observed), std::exp(At(ratios, corrected(alpha / 2))),
          std::exp(At(ratios, corrected(1 - alpha / 2))), true};
}

}  // namespace

double NormalQuantile(double share) {
  double low = -10, high = 10;
  while (high - low > 1e-12) {
    const double middle = (low + high) / 2;
    (NormalShare(middle) < share ? low : high) = middle;
  }
  return (low + high) / 2;
}

Ratio RatioOfMedians(const std::vector<double>& before, const std::vector<double>& after,
                     double alpha, int resamples, uint64_t seed) {
  const double ratio = Median(after) / Median(before);
  const size_t fewest = std::min(before.size(), after.size());
  if (fewest < 2) return {ratio, ratio, ratio, false};
  if (fewest >= kFewestForBootstrap) return Bootstrap(before, after, alpha, resamples, seed);
  const auto [least_before, most_before] = std::minmax_element(before.begin(), before.end());
  const auto [least_after, most_after] = std::minmax_element(after.begin(), after.end());
  return {ratio, *least_after / *most_before, *most_after / *least_before, true};
}

}  // namespace prof::compare
