// SPDX-License-Identifier: Apache-2.0
//
// The use of the hardware units by PM samples, for the units of a kernel that no counter was read
// of.
#ifndef PROF_LIB_ANALYZER_CONTINUOUS_PM_UNITS_H_
#define PROF_LIB_ANALYZER_CONTINUOUS_PM_UNITS_H_

#include <optional>
#include <vector>

#include "lib/analyzer/kernels/unit_use.h"
#include "lib/format/triage_metrics.h"
#include "prof/continuous_report.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

// Of the metrics that read this, the one with the smallest error; null when none has a value.
// `unit` of the result means nothing.
[[nodiscard]] std::optional<UnitUse> FindPmUse(const ContinuousValues& values,
                                               format::TriageUnit read);

// PM samples were taken with a metric of the unit, whether they gave a value or not. Not every chip
// has one for each unit.
[[nodiscard]] bool HasPmMetric(const ContinuousValues& values, Unit unit);

// The part of L1's wavefronts that is shared memory's; empty without both.
[[nodiscard]] std::optional<double> FindPmSharedShare(const ContinuousValues& values);

// Warp slots in use over those of the SMs that were active, 0..1; empty without both.
[[nodiscard]] std::optional<double> FindPmOccupancy(const ContinuousValues& values);

// Adds what PM samples have of a kernel (`continuous`) and counters do not: uses of units, achieved
// occupancy. Where the counters do not tell shared memory from L1, the PM samples do.
void AddPmValues(KernelReport* kernel);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_PM_UNITS_H_
