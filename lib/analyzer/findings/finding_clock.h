// SPDX-License-Identifier: Apache-2.0
//
// The finding about the SM clock: kernels that keep an SM unit busy are slower at a lower clock.
#ifndef PROF_LIB_ANALYZER_FINDINGS_FINDING_CLOCK_H_
#define PROF_LIB_ANALYZER_FINDINGS_FINDING_CLOCK_H_

#include <optional>
#include <vector>

#include "prof/report.h"

namespace prof::analyzer {

inline constexpr char kClockFinding[] = "clock";

// Of the device where it costs most. Its gain is at most what all work of the device would save at
// the highest clock that the device reports: that of the kernels that show the clock by theirs, all
// other work by the lowest of these. Where the highest clock is not known, all of the device's work
// is the bound. Absent: no kernel shows the clock, or it costs little.
[[nodiscard]] std::optional<Finding> FindLowClock(const std::vector<DeviceReport>& devices,
                                                  double undisturbed_ns);

// The device of that finding; nullptr: there is none.
[[nodiscard]] const DeviceReport* LowClockDevice(const std::vector<DeviceReport>& devices,
                                                 double undisturbed_ns);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_FINDINGS_FINDING_CLOCK_H_
