// SPDX-License-Identifier: Apache-2.0
//
// Numbers that are parts of a whole: one unit for a column, and rounding that keeps its sum.
#ifndef PROF_LIB_REPORT_BASE_COLUMN_SUMS_H_
#define PROF_LIB_REPORT_BASE_COLUMN_SUMS_H_

#include <string>
#include <vector>

namespace prof::report {

// The unit of a column of times.
struct TimeUnit {
  const char* name;  // "ms"
  double ns;
  int decimals;
};
// The unit that fits `total_ns`.
[[nodiscard]] TimeUnit UnitFor(double total_ns);

// `values` rounded to `decimals`, each up or down, so that they sum to their rounded sum. Negative
// and non-finite values count as 0.
[[nodiscard]] std::vector<double> RoundToSum(const std::vector<double>& values, int decimals);
// The same, where a value is rounded up beyond its `most` only if the sum is missed otherwise.
[[nodiscard]] std::vector<double> RoundToSum(const std::vector<double>& values, int decimals,
                                             const std::vector<double>& most);
// To the nearest.
[[nodiscard]] double RoundedTo(double value, int decimals);

// The share of a part, as text::ShortPercent. It is 100 % for the whole alone: 0.998 is "99.8 %",
// 0.9999 is ">99.9 %".
[[nodiscard]] std::string PartPercent(double fraction);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_BASE_COLUMN_SUMS_H_
