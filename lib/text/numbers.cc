// SPDX-License-Identifier: Apache-2.0
#include "lib/text/numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace prof::text {
namespace {

void Group(std::string* number) {
  const size_t first = (*number)[0] == '-' ? 1 : 0;
  const size_t point = std::min(number->find('.'), number->size());
  for (size_t at = point; at > first + 3;) number->insert(at -= 3, 1, ',');
}

// Three significant digits.
std::string Significant(double value) {
  const double size = std::abs(value);
  return Grouped(value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

// With the largest prefix that leaves at least 1 after rounding to three digits. A number without a
// prefix has no decimals when it is integral.
template <size_t kCount>
std::string Scaled(double value, const std::array<const char*, kCount>& prefixes,
                   const std::string& unit) {
  if (!std::isfinite(value)) return "-";
  size_t prefix = 0;
  while (prefix + 1 < kCount && std::abs(value) >= 999.5) {
    value /= 1000;
    ++prefix;
  }
  const bool integral = prefix == 0 && value == std::floor(value);
  return (integral ? Grouped(value, 0) : Significant(value)) + " " + prefixes[prefix] + unit;
}

std::string WithPrefix(double value, const std::string& unit) {
  static constexpr std::array<const char*, 6> kPrefixes = {"", "k", "M", "G", "T", "P"};
  return Scaled(value, kPrefixes, unit);
}

}  // namespace

std::string Fixed(double value, int decimals) {
  std::array<char, 400> text{};  // the largest double has 309 digits
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::fixed, decimals);
  return {text.data(), end.ptr};
}

std::string Grouped(double value, int decimals) {
  if (!std::isfinite(value)) return "-";
  if (std::abs(value) >= 1e18) value = std::copysign(1e18, value);  // keeps the buffer bounded
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::fixed, decimals);
  std::string text(buffer.data(), end.ptr);
  const bool minus_zero = text[0] == '-' && text.find_first_not_of("-0.") == std::string::npos;
  if (minus_zero) text.erase(0, 1);
  Group(&text);
  return text;
}

std::string Count(int64_t count) {
  std::string text = std::to_string(count);
  Group(&text);
  return text;
}

std::string Plural(int64_t count, const char* one, const char* many) {
  return Count(count) + ' ' + (count == 1 ? one : many);
}

std::string Time(double ns) {
  static constexpr std::array<const char*, 4> kUnits = {"ns", "us", "ms", "s"};
  return Scaled(std::abs(ns) < 999.5 ? std::round(ns) : ns, kUnits, "");
}

std::string Bytes(double bytes) { return WithPrefix(bytes, "B"); }

std::string Rate(double per_s, const std::string& unit) { return WithPrefix(per_s, unit); }

std::string Percent(double fraction) {
  return std::isfinite(fraction) ? Fixed(100 * fraction, 1) + " %" : "-";
}

std::string ShortPercent(double fraction) {
  if (!std::isfinite(fraction)) return "-";
  const double percent = 100 * fraction;
  if (percent > 0 && percent < 0.05) return "<0.1 %";
  return Grouped(percent, std::abs(percent) < 9.95 && percent != 0 ? 1 : 0) + " %";
}

}  // namespace prof::text
