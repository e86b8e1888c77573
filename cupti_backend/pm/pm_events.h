// SPDX-License-Identifier: Apache-2.0
//
// The PM events are what the collector takes from PM sampling.
#ifndef PROF_CUPTI_BACKEND_PM_PM_EVENTS_H_
#define PROF_CUPTI_BACKEND_PM_PM_EVENTS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "lib/capture/events/events.h"
#include "lib/format/metric_names.h"
#include "lib/format/triage_metrics.h"

namespace prof::cupti {

struct PmEvents {
  // Batches wait for the collector; more are dropped and counted.
  static constexpr size_t kMaxBatches = 256;

  std::vector<capture::PmSeriesEvent> series;
  std::vector<capture::PmBatchEvent> batches;
  std::vector<capture::ProfilerIntervalEvent> intervals;  // in which the program was held up
};

// The step in which NVIDIA's drivers set a clock. Finer values would only store the noise of short
// samples, and an idle GPU would no longer have equal rows.
constexpr double kClockStepHz = 15e6;

// The step of a percentage, as a part of what it can reach.
constexpr double kStep = 0.0005;

// A metric of a series, with the step in which its values are stored.
inline capture::PmMetric StoredMetric(const std::string& name) {
  if (name == format::kSmClockMetric) return {name, kClockStepHz};
  const format::TriageRateMetric* const rate = format::FindTriageRate(name);
  return rate == nullptr ? capture::PmMetric{name} : capture::PmMetric{name, kStep * rate->most};
}

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_PM_PM_EVENTS_H_
