// SPDX-License-Identifier: Apache-2.0
//
// Numbers as people read them: adaptive units, three significant digits, thousands separators.
// Independent of the locale, which belongs to the program that we may live in.
#ifndef PROF_LIB_REPORT_BASE_NUMBER_FORMAT_H_
#define PROF_LIB_REPORT_BASE_NUMBER_FORMAT_H_

#include <cstdint>
#include <string>
#include <vector>

namespace prof::report {

// "12,345.60"; "-" for NaN and infinity, as everywhere below.
std::string Fixed(double value, int decimals);
std::string Count(int64_t value);

// "0.85 us", "12.3 ms", "4.56 s".
std::string Time(double ns);
// "512 B", "1.20 MB"; powers of 1000.
std::string Bytes(double bytes);
// "4.36 TB/s", "0.17 Tflop/s": `unit` with an SI prefix.
std::string Rate(double per_s, const std::string& unit);
// Of a fraction: "0.034" is "3.4 %", 0.91 is "91 %", 0.0001 is "<0.1 %".
std::string Percent(double fraction);

// A unit that suits `total_ns`, for a column whose cells must sum.
struct TimeUnit {
  const char* name;  // "ms"
  double ns;
  int decimals;
};
TimeUnit UnitFor(double total_ns);

// `values` rounded to `decimals`, each up or down, so that they sum to their rounded sum. Negative
// and non-finite values count as 0.
std::vector<double> RoundToSum(const std::vector<double>& values, int decimals);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_BASE_NUMBER_FORMAT_H_
