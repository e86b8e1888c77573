// SPDX-License-Identifier: Apache-2.0
//
// Rank tests: the chance that two groups of runs differ as much as they do by accident, and what
// that chance is when many kernels are tested at once.
#ifndef PROF_LIB_COMPARE_BASE_RANKS_H_
#define PROF_LIB_COMPARE_BASE_RANKS_H_

#include <cstdint>
#include <vector>

namespace prof::compare {

// The two-sided test of Mann and Whitney (1947): the smallest level at which "both groups are
// alike" is rejected, 0..1. Exact up to 60 values, over all ways to split the ranks that were seen,
// so ties are right; with more by the normal approximation with the correction for ties. 1 where a
// group is empty.
[[nodiscard]] double MannWhitney(const std::vector<double>& before,
                                 const std::vector<double>& after);

// The least level that this test can reach with so many values: 2 / C(before + after, before).
[[nodiscard]] double LeastLevel(int64_t before, int64_t after);

// Holm's step-down correction (1979): the levels of all tests, in their order, such that the chance
// of any false alarm is the level.
[[nodiscard]] std::vector<double> Holm(const std::vector<double>& levels);

}  // namespace prof::compare

#endif  // PROF_LIB_COMPARE_BASE_RANKS_H_
