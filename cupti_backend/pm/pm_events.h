// SPDX-License-Identifier: Apache-2.0
//
// The PM events are what the collector takes from PM sampling.
#ifndef PROF_CUPTI_BACKEND_PM_PM_EVENTS_H_
#define PROF_CUPTI_BACKEND_PM_PM_EVENTS_H_

#include <vector>

#include "lib/capture/events/events.h"

namespace prof::cupti {

struct PmEvents {
  std::vector<capture::PmSeriesEvent> series;
  std::vector<capture::PmBatchEvent> batches;
  std::vector<capture::ProfilerIntervalEvent> intervals;  // in which the program was held up
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_PM_PM_EVENTS_H_
