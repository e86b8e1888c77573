// SPDX-License-Identifier: Apache-2.0
//
// A statistic summarizes repeated observations; metrics are statistics by CUPTI name.
#ifndef PROF_STATISTIC_H_
#define PROF_STATISTIC_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace prof {

/// Robust summary of n observations. With n == 0 the values are NaN.
struct Statistic {
  int64_t n = 0;
  double median = 0;
  double min = 0;
  double max = 0;
  double sum = 0;
};

/// By CUPTI name, in CUPTI's unit.
using Metrics = std::map<std::string, Statistic, std::less<>>;

}  // namespace prof

#endif  // PROF_STATISTIC_H_
