// SPDX-License-Identifier: Apache-2.0
//
// The interval of a ratio of medians, over runs.
#ifndef PROF_LIB_COMPARE_BASE_BOOTSTRAP_H_
#define PROF_LIB_COMPARE_BASE_BOOTSTRAP_H_

#include <cstdint>
#include <vector>

#include "prof/compare.h"

namespace prof::compare {

// The ratio of the medians, after over before, of values above zero, with an interval.
//   both groups have 4 values or more: BCa bootstrap (Efron 1987) over the values of each group,
//     with `resamples` samples, by a generator that gives the same numbers on all machines;
//   both have 2 or more: from the smallest to the largest quotient of two values, which is wider;
//   otherwise: the ratio is a point, and `is_interval` is false.
// `alpha` is the chance that the interval misses the ratio, 0.05 for 95 %.
[[nodiscard]] Ratio RatioOfMedians(const std::vector<double>& before,
                                   const std::vector<double>& after, double alpha, int resamples,
                                   uint64_t seed);

// The quantile of the standard normal distribution, 0 < share < 1.
[[nodiscard]] double NormalQuantile(double share);

}  // namespace prof::compare

#endif  // PROF_LIB_COMPARE_BASE_BOOTSTRAP_H_
