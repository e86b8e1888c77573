// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/base/number_text.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <initializer_list>

namespace prof::analyzer {
namespace {

// `units` rise by a factor of 1,000 each; the last one takes what is left.
std::string Scaled(double value, std::initializer_list<const char*> units) {
  const char* const* unit = units.begin();
  while (std::abs(value) >= 999.5 && unit + 1 != units.end()) {
    value /= 1000;
    ++unit;
  }
  const bool whole = unit == units.begin() || std::abs(value) >= 99.95;
  const int decimals = whole ? 0 : std::abs(value) >= 9.995 ? 1 : 2;
  return FormatFixed(value, decimals) + ' ' + *unit;
}

}  // namespace

std::string FormatFixed(double value, int decimals) {
  std::array<char, 400> text{};  // the largest double has 309 digits
  const int length = std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return {text.data(), static_cast<size_t>(length)};
}

std::string FormatNs(double ns) { return Scaled(ns, {"ns", "us", "ms", "s"}); }

std::string FormatBytes(double bytes) { return Scaled(bytes, {"B", "kB", "MB", "GB", "TB"}); }

std::string FormatCount(uint64_t count) {
  std::string text = std::to_string(count);
  for (size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string Plural(uint64_t count, const char* one, const char* many) {
  return FormatCount(count) + ' ' + (count == 1 ? one : many);
}

}  // namespace prof::analyzer
