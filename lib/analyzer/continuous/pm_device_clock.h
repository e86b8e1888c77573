// SPDX-License-Identifier: Apache-2.0
//
// The clock of the PM samples is ahead of the clock of the operations. The offset of a device is
// one for all its series of PM samples: where the operations explain the samples best.
#ifndef PROF_LIB_ANALYZER_CONTINUOUS_PM_DEVICE_CLOCK_H_
#define PROF_LIB_ANALYZER_CONTINUOUS_PM_DEVICE_CLOCK_H_

#include <vector>

#include "lib/analyzer/continuous/pm_clock_curve.h"

namespace prof::analyzer {

struct PmDeviceClock {
  bool known = false;                // false: the samples give none; the offset is the usual one
  double offset_ns = 0;              // samples' times minus operations' times
  double error_ns = 0;               // half width
  bool compared = false;             // both the first and the last third give an offset
  double first_ns = 0, last_ns = 0;  // offsets of these thirds, where `compared`
  bool stable = true;                // false: they differ by more than their errors
  std::vector<bool> shows;           // by series: its samples are among those that give it
};

// `series` are all those of one device. 33 fits of each.
[[nodiscard]] PmDeviceClock FindPmDeviceClock(const std::vector<const PmProblem*>& series);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_PM_DEVICE_CLOCK_H_
