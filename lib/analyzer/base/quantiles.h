// SPDX-License-Identifier: Apache-2.0
//
// Factors of a standard deviation that make half an interval of 95 %.
#ifndef PROF_LIB_ANALYZER_BASE_QUANTILES_H_
#define PROF_LIB_ANALYZER_BASE_QUANTILES_H_

namespace prof::analyzer {

// Of the normal distribution.
constexpr double kNormal = 1.96;

// Of Student's distribution, where the deviation has so many degrees of freedom.
[[nodiscard]] double StudentQuantile(double freedom);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_BASE_QUANTILES_H_
