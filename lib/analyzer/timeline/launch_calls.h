// SPDX-License-Identifier: Apache-2.0
//
// Launch calls are compared: those made while counters were sampled with all others. CUPTI makes
// each launch slower while its range profiler is on, sampled or not, so idle time that launches
// cause may be prof's doing.
#ifndef PROF_LIB_ANALYZER_TIMELINE_LAUNCH_CALLS_H_
#define PROF_LIB_ANALYZER_TIMELINE_LAUNCH_CALLS_H_

#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

struct LaunchCalls {
  // From the preparation of the first counters of launches until the last ones; empty without them,
  // also where PM samples were taken.
  int64_t sampling_start_ns = 0, sampling_end_ns = 0;
  Statistic sampling, otherwise;  // nanoseconds; without the calls that prof itself held up

  bool Sampling(int64_t time_ns) const {
    return time_ns >= sampling_start_ns && time_ns < sampling_end_ns;
  }
};

[[nodiscard]] LaunchCalls CompareLaunchCalls(const model::Model& model);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_LAUNCH_CALLS_H_
