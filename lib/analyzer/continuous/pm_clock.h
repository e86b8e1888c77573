// SPDX-License-Identifier: Apache-2.0
//
// The clock of the PM samples is ahead of the clock of the operations. The offset is where the
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
  bool known = false;       // false: the samples give none; offset_ns is 0
  bool from_other = false;  // known from other samples of the device only
  double offset_ns = 0;     // samples' times minus operations' times
  double error_ns = 0;      // half width; for an unknown offset: what is assumed
  bool stable = true;       // false: the first and the last third differ by more than their errors
  double first_ns = 0, last_ns = 0;  // offsets of these thirds, where `compared`
  bool compared = false;             // both thirds give an offset
  Eigen::MatrixXd later, earlier;    // K x M: change of the rates at offset +- error
};

// `others`: the offset from other samples of the device, for when these give none. The offset is
// looked for in the rows of the columns with most time, because each try costs the cube of the
// columns.
[[nodiscard]] PmClock FindPmClock(const PmProblem& problem, const std::optional<PmOffset>& others);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_PM_CLOCK_H_
