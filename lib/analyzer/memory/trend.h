// SPDX-License-Identifier: Apache-2.0
//
// A trend in the levels of memory, step after step: a slope that outliers do not move, and whether
// the growth is steady and goes on. A warm-up that settles, a jump, and levels that go up and down
// are no growth.
#ifndef PROF_LIB_ANALYZER_MEMORY_TREND_H_
#define PROF_LIB_ANALYZER_MEMORY_TREND_H_

#include <string>
#include <vector>

namespace prof::analyzer {

struct Trend {
  // Theil-Sen: the median of the slopes of all pairs of levels. The interval at 95 % is Sen's (P.
  // K. Sen, Estimates of the regression coefficient based on Kendall's tau, 1968). It takes the
  // levels for independent: where one follows from the one before, it is too narrow.
  double slope = 0, at_least = 0, at_most = 0;
  bool grows = false;
  std::string why_not;  // empty: it grows, or the last part is no higher than the first
};

// Of ten levels or more. n log n; of more than 300 levels the slope takes 300.
[[nodiscard]] Trend FindTrend(const std::vector<double>& levels);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_MEMORY_TREND_H_
