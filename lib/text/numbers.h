// SPDX-License-Identifier: Apache-2.0
//
// Numbers as text: three significant digits, a unit that fits, thousands separators. Independent of
// the locale, which belongs to the program that we may live in.
#ifndef PROF_LIB_TEXT_NUMBERS_H_
#define PROF_LIB_TEXT_NUMBERS_H_

#include <cstdint>
#include <limits>
#include <string>

namespace prof::text {

// "12345.60".
[[nodiscard]] std::string Fixed(double value, int decimals);
// Counts of a file may be any number: those beyond the range of int64_t become its end.
[[nodiscard]] constexpr int64_t Clamped(uint64_t count) {
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(count < kMost ? count : kMost);
}

// "12,345.60"; "-" for NaN and infinity, as in all functions below.
[[nodiscard]] std::string Grouped(double value, int decimals);
// "12,345".
[[nodiscard]] std::string Count(int64_t count);
// "1 copy", "2,000 copies".
[[nodiscard]] std::string Plural(int64_t count, const char* one, const char* many);

// "850 ns", "12.3 us", "1.50 ms", "3.20 s".
[[nodiscard]] std::string Time(double ns);
// "512 B", "1.20 MB"; powers of 1000.
[[nodiscard]] std::string Bytes(double bytes);
// "4.36 TB/s", "0.17 Tflop/s": `unit` with an SI prefix.
[[nodiscard]] std::string Rate(double per_s, const std::string& unit);

// Of a fraction, with one decimal: "91.3 %".
[[nodiscard]] std::string Percent(double fraction);
// Of a fraction: 0.034 is "3.4 %", 0.91 is "91 %", 0.0001 is "<0.1 %".
[[nodiscard]] std::string ShortPercent(double fraction);

}  // namespace prof::text

#endif  // PROF_LIB_TEXT_NUMBERS_H_
