// SPDX-License-Identifier: Apache-2.0
//
// One quantity of two sides: ratio, interval, test, threshold, and the verdict.
#ifndef PROF_LIB_COMPARE_DECIDE_H_
#define PROF_LIB_COMPARE_DECIDE_H_

#include <optional>
#include <string>
#include <vector>

#include "prof/compare.h"

namespace prof::compare {

struct Quantity {
  std::string name;
  std::vector<double> before, after;  // one value a run; NaN: the run lacks it
  std::optional<double> noise;        // of equal runs, where it was stored
  int64_t noise_runs = 0;
  double launch_noise = 0;  // a lower bound, from launches within a run; NaN or 0: unknown
};

// What else decides when runs are too few, or when a clock may have changed.
struct Beside {
  std::optional<Ratio> cycles;  // of counted launches
  ComparedWork work;
  bool same_device = true;    // cycles are of the same number of SMs
  bool clocks_alike = false;  // those that were measured on both sides
};

// The logarithm of the least ratio that counts as moved: half of the threshold's.
[[nodiscard]] double LeastEffect(const Compared& compared);

// Whether the time moved and the cycles did not, nor by the larger part of it: the clock did.
[[nodiscard]] bool IsClock(const Compared& time, const Ratio& cycles);

// Everything but the verdict and Compared::corrected.
[[nodiscard]] Compared Measure(const Quantity& quantity, const CompareOptions& options);

// Corrects the levels of those that are tested, and decides each. `beside` has one entry for each.
void Decide(const std::vector<Compared*>& tested, const std::vector<Beside>& beside,
            const CompareOptions& options);

// Runs of each side that show an effect (a logarithm) with 90 % chance, either as a change or as
// less than the threshold; at most kMostRuns + 1. `tests`: how many quantities are tested together.
[[nodiscard]] int RunsNeeded(double effect, double noise, double threshold, size_t tests,
                             double alpha);

}  // namespace prof::compare

#endif  // PROF_LIB_COMPARE_DECIDE_H_
