// SPDX-License-Identifier: Apache-2.0
#include "test/analyzer/rules/pm_kernels.h"

#include "test/analyzer/rules/kernels.h"

namespace prof::test {

using format::TriageUnit;

std::string Metric(TriageUnit unit) {
  for (const format::TriageMetric& metric : format::kTriageMetrics) {
    if (metric.unit == unit) {
      return std::string(metric.names[0]) + std::string(format::kTriageSuffix);
    }
  }
  return "";
}

ContinuousValue Value(double number, double error) {
  ContinuousValue value;
  value.value = number;
  value.error = error;
  value.seconds = 0.5;
  value.samples = 212;
  value.direct = 200;
  value.launches = 34;
  return value;
}

void SetPm(KernelReport* kernel, TriageUnit unit, double percent, double error) {
  kernel->continuous[Metric(unit)] = Value(percent, error);
}

void SetPmRate(KernelReport* kernel, format::TriageRate rate, double value, double error) {
  for (const format::TriageRateMetric& metric : format::kTriageRates) {
    if (metric.rate != rate) continue;
    kernel->continuous[std::string(metric.names[0]) + std::string(metric.suffix)] =
        Value(value, error);
  }
}

KernelReport WithoutCounters(const ContinuousValues& values) {
  KernelReport kernel = QuietKernel();
  kernel.metrics.clear();
  kernel.samples_used = 0;
  kernel.occupancy.achieved.reset();
  kernel.continuous = values;
  return kernel;
}

KernelReport QuietByPmSamples() {
  KernelReport kernel = WithoutCounters();
  for (const format::TriageMetric& metric : format::kTriageMetrics) SetPm(&kernel, metric.unit, 5);
  SetPm(&kernel, TriageUnit::kSmActive, 98);
  SetPm(&kernel, TriageUnit::kWarps, 90);
  SetPm(&kernel, TriageUnit::kShared, 0);
  return kernel;
}

}  // namespace prof::test
