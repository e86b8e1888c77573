// SPDX-License-Identifier: Apache-2.0
//
// Kernels for the rules that have PM samples and no counters.
#ifndef PROF_TEST_ANALYZER_RULES_PM_KERNELS_H_
#define PROF_TEST_ANALYZER_RULES_PM_KERNELS_H_

#include <string>

#include "lib/format/triage_metrics.h"
#include "prof/report.h"

namespace prof::test {

// The metric that triage prefers.
std::string Metric(format::TriageUnit unit);

// In CUPTI's unit, half width of its error.
ContinuousValue Value(double value, double error);
void SetPm(KernelReport* kernel, format::TriageUnit unit, double percent, double error = 0.5);
void SetPmRate(KernelReport* kernel, format::TriageRate rate, double value, double error = 0.001);

KernelReport WithoutCounters(const ContinuousValues& values = {});
// All units that triage reads, and none is busy; no rate.
KernelReport QuietByPmSamples();

}  // namespace prof::test

#endif  // PROF_TEST_ANALYZER_RULES_PM_KERNELS_H_
