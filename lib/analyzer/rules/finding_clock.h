// SPDX-License-Identifier: Apache-2.0
//
// The finding about the SM clock: kernels that keep an SM unit busy are slower at a lower clock.
#ifndef PROF_LIB_ANALYZER_RULES_FINDING_CLOCK_H_
#define PROF_LIB_ANALYZER_RULES_FINDING_CLOCK_H_

#include <optional>
#include <vector>

#include "prof/report.h"

namespace prof::analyzer {

inline constexpr char kClockFinding[] = "clock";

// Of the device where it costs most; its gain is at most the time that these kernels would save at
// the highest clock that the device reports. Absent: no kernel shows the clock, or it costs little.
[[nodiscard]] std::optional<Finding> FindLowClock(const std::vector<DeviceReport>& devices,
                                                  double undisturbed_ns);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_FINDING_CLOCK_H_
