// SPDX-License-Identifier: Apache-2.0
//
// Columns of numbers whose cells must sum: one unit for all, and rounding that keeps the sum.
#ifndef PROF_LIB_REPORT_BASE_COLUMN_SUMS_H_
#define PROF_LIB_REPORT_BASE_COLUMN_SUMS_H_

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

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_BASE_COLUMN_SUMS_H_
