// SPDX-License-Identifier: Apache-2.0
//
// What the values of several runs have in common: median, spread, and whether they are of two
// kinds.
#ifndef PROF_LIB_COMPARE_BASE_SAMPLE_H_
#define PROF_LIB_COMPARE_BASE_SAMPLE_H_

#include <optional>
#include <vector>

#include "prof/compare.h"
#include "prof/statistic.h"

namespace prof::compare {

using Values = std::vector<double>;

// Those that are numbers above zero: a run that has no value has NaN.
[[nodiscard]] std::vector<double> Present(const std::vector<double>& values);

// The mean of the two middle values for an even count; NaN without values.
[[nodiscard]] double Median(std::vector<double> values);

// Of the values that are present.
[[nodiscard]] Statistic SummaryOf(const std::vector<double>& values);

// What values above zero differ by, as a fraction: 0.01 is 1 %. The standard deviation of their
// logarithms, estimated from the median absolute deviation, as robust as the medians that are
// compared: one odd run among seven does not move it. nullopt with fewer than two.
[[nodiscard]] std::optional<double> LogSpread(const std::vector<double>& values);

// That of both groups around their own medians, weighted by their degrees of freedom. nullopt with
// fewer than `least` degrees.
[[nodiscard]] std::optional<double> PooledLogSpread(const std::vector<double>& before,
                                                    const std::vector<double>& after, int least);

// A split into two kinds of values, each narrow beside the distance between them (Ashman's D, 1994,
// above 6: the halves of a normal distribution have 2.7, those of a uniform one 3.5), at least 2 %
// apart, each with at least 15 % of the values. nullopt: one kind, or fewer than six values.
[[nodiscard]] std::optional<Modes> FindModes(std::vector<double> values);

// How far the median of launches may be off, as a fraction, from quantiles in even steps: 1.57 *
// (interquartile range) / sqrt(n) are 95 % of it (McGill, Tukey, Larsen 1978); this is half of
// that. It takes launches as independent, so it is a lower bound of what runs differ by.
[[nodiscard]] double LaunchNoise(const std::vector<double>& quantiles, double launches);

}  // namespace prof::compare

#endif  // PROF_LIB_COMPARE_BASE_SAMPLE_H_
