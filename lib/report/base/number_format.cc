// SPDX-License-Identifier: Apache-2.0
#include "lib/report/base/number_format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

namespace prof::report {
namespace {

// Three significant digits.
std::string Significant(double value) {
  const double size = std::abs(value);
  return Fixed(value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

// The largest prefix in which `value` is at least 1 after rounding to three digits.
std::string WithPrefix(double value, const std::string& unit) {
  if (!std::isfinite(value)) return "-";
  static constexpr std::array<const char*, 6> kPrefixes = {"", "k", "M", "G", "T", "P"};
  size_t prefix = 0;
  while (prefix + 1 < kPrefixes.size() && std::abs(value) >= 999.5) {
    value /= 1000;
    ++prefix;
  }
  const bool whole = prefix == 0 && value == std::floor(value);
  return (whole ? Fixed(value, 0) : Significant(value)) + " " + kPrefixes[prefix] + unit;
}

}  // namespace

std::string Fixed(double value, int decimals) {
  if (!std::isfinite(value)) return "-";
  if (std::abs(value) >= 1e18) value = std::copysign(1e18, value);  // keeps the buffer bounded
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::fixed, decimals);
  std::string text(buffer.data(), end.ptr);
  const size_t first = text[0] == '-' ? 1 : 0;
  if (first == 1 && text.find_first_not_of("-0.") == std::string::npos) return text.substr(1);
  const size_t point = std::min(text.find('.'), text.size());
  for (size_t at = point; at > first + 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string Count(int64_t value) {
  std::string text = std::to_string(value);
  const size_t first = value < 0 ? 1 : 0;
  for (size_t at = text.size(); at > first + 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string Time(double ns) {
  if (!std::isfinite(ns)) return "-";
  if (ns == 0) return "0 us";
  const double size = std::abs(ns);
  if (size < 999.5e3) return Significant(ns / 1e3) + " us";
  if (size < 999.5e6) return Significant(ns / 1e6) + " ms";
  return Significant(ns / 1e9) + " s";
}

std::string Bytes(double bytes) { return WithPrefix(bytes, "B"); }

std::string Rate(double per_s, const std::string& unit) { return WithPrefix(per_s, unit); }

std::string Percent(double fraction) {
  if (!std::isfinite(fraction)) return "-";
  const double percent = 100 * fraction;
  if (percent > 0 && percent < 0.05) return "<0.1 %";
  return Fixed(percent, std::abs(percent) < 9.95 && percent != 0 ? 1 : 0) + " %";
}

TimeUnit UnitFor(double total_ns) {
  TimeUnit unit = total_ns < 1e6   ? TimeUnit{"us", 1e3, 0}
                  : total_ns < 1e9 ? TimeUnit{"ms", 1e6, 0}
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
