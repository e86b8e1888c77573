// SPDX-License-Identifier: Apache-2.0
//
// A kernel and a counted region as JSON, with all that they have: verdict, units, roofline, clock.
#ifndef PROF_LIB_REPORT_JSON_KERNEL_H_
#define PROF_LIB_REPORT_JSON_KERNEL_H_

#include <vector>

#include "lib/report/json/values.h"
#include "prof/kernel_report.h"

namespace prof {

[[nodiscard]] Json ToJson(const Occupancy& value);
[[nodiscard]] Json ToJson(const RooflineLevel& value);
[[nodiscard]] Json ToJson(const Roofline& value);
[[nodiscard]] Json ToJson(const KernelClock& value);
[[nodiscard]] Json ToJson(const SpeedOfLight& value);
[[nodiscard]] Json ToJson(const std::vector<Action>& values);
[[nodiscard]] Json ToJson(const Verdict& value);
[[nodiscard]] Json ToJson(const ContinuousValues& values);
[[nodiscard]] Json ToJson(const FlopCount& value);
[[nodiscard]] Json ToJson(const UnitUse& value);
[[nodiscard]] Json ToJson(const KernelOp& value);
[[nodiscard]] Json ToJson(const KernelModule& value);
[[nodiscard]] Json ToJson(const KernelSource& value);
[[nodiscard]] Json ToJson(const KernelReport& value);
[[nodiscard]] Json ToJson(const RegionPart& value);
[[nodiscard]] Json ToJson(const RegionReport& value);

}  // namespace prof

#endif  // PROF_LIB_REPORT_JSON_KERNEL_H_
