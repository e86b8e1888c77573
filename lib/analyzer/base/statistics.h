// SPDX-License-Identifier: Apache-2.0
//
// A summary of observations that is robust against outliers: median and range.
#ifndef PROF_LIB_ANALYZER_BASE_STATISTICS_H_
#define PROF_LIB_ANALYZER_BASE_STATISTICS_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "prof/report.h"

namespace prof::analyzer {

struct WeightedValue {
  double value = 0, weight = 0;
};

// Summarizes [first, last), whose order it changes. The median of an even count is the mean of the
// two middle values.
template <typename Iterator>
[[nodiscard]] Statistic Summarize(Iterator first, Iterator last) {
  Statistic s;
  s.n = last - first;
  if (s.n == 0) {
    s.median = s.min = s.max = s.sum = std::numeric_limits<double>::quiet_NaN();
    return s;
  }
  const auto [min, max] = std::minmax_element(first, last);
  s.min = static_cast<double>(*min);
  s.max = static_cast<double>(*max);
  for (Iterator it = first; it != last; ++it) s.sum += static_cast<double>(*it);
  const Iterator middle = first + s.n / 2;
  std::nth_element(first, middle, last);
  s.median = static_cast<double>(*middle);
  if (s.n % 2 == 0) {
    s.median = (s.median + static_cast<double>(*std::max_element(first, middle))) / 2;
  }
  return s;
}

// The same, where each value counts with its weight: the median is the first value at which half of
// all weight is reached. Values with a weight of 0 or less are left out. Sorts `values`.
[[nodiscard]] Statistic SummarizeWeighted(std::vector<WeightedValue>* values);

// The ends of an interval for a share.
struct ShareInterval {
  double low = 0, high = 1;
};
// Wilson's interval of 95 % for `part` of `all` (E. B. Wilson, JASA 22, 1927): for small counts it
// holds better than the normal interval. `all` 0: 0..1.
[[nodiscard]] ShareInterval WilsonInterval(int64_t part, int64_t all);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_STATISTICS_H_
