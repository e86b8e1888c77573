// SPDX-License-Identifier: Apache-2.0
//
// How far the clock of the PM samples is ahead of that of the operations: the offset at which the
// operations explain the samples best.
#ifndef PROF_LIB_ANALYZER_CONTINUOUS_PM_CLOCK_H_
#define PROF_LIB_ANALYZER_CONTINUOUS_PM_CLOCK_H_

#include <Eigen/Dense>
#include <cstdint>
#include <optional>

#include "lib/analyzer/continuous/pm_device_clock.h"
#include "lib/analyzer/continuous/pm_fit.h"

namespace prof::analyzer {

struct PmClock {
  bool known = false;       // false: the samples do not tell; offset_ns is 0
  bool from_other = false;  // these samples do not tell, others of the device do
  double offset_ns = 0;     // samples' times minus operations' times
  double error_ns = 0;      // half width; where it is not known, what is assumed
  bool stable = true;       // false: the first and the last third differ by more than their errors
  double first_ns = 0, last_ns = 0;  // of these thirds, where `compared`
  bool compared = false;             // both thirds tell
  Eigen::MatrixXd later, earlier;    // K x M: change of the rates at offset +- error
};

// `others`: what other samples of the device told, for when these do not.
PmClock FindPmClock(const PmProblem& problem, const std::optional<PmOffset>& others);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_PM_CLOCK_H_
