// SPDX-License-Identifier: Apache-2.0
//
// The sample reader turns decoded counter data into the values of each sample.
#ifndef PROF_CUPTI_BACKEND_SAMPLING_SAMPLE_READER_H_
#define PROF_CUPTI_BACKEND_SAMPLING_SAMPLE_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cupti_backend/metrics/pass_planner.h"
#include "cupti_backend/sampling/counter_plans.h"
#include "cupti_backend/sampling/range_profiler.h"
#include "cupti_backend/schedule/sampling_policy.h"
#include "lib/capture/events/events.h"

namespace prof::cupti {

// What was under a counter range.
struct Sample {
  SamplingPolicy::Entry* signature = nullptr;
  capture::SampleUnit unit = capture::SampleUnit::kKernel;
  uint32_t group = 0, correlation = 0, path = 0;
  int64_t begin_ns = 0, end_ns = 0;
  bool spoilt = false;  // its range has something else too, or a part only: no event comes of it
};

// "<counter>.peak_sustained" as CUPTI evaluates it on the real device.
struct PeakEvent {
  int device = 0;
  std::string metric;
  double value = 0;
};

// Those of `samples` that the `ranges` ranges decoded by `profiler` hold, in the order of the
// ranges. One that CUPTI lost is missing. The place of a sample is the name of its range. `group`
// was counted. `policy` gets the clock of each sample. The holder of the hardware lease.
std::vector<capture::CounterSampleEvent> ReadSamples(const ContextPlan& plan,
                                                     const PlannedGroup& group,
                                                     const RangeProfiler& profiler,
                                                     const std::vector<Sample>& samples,
                                                     size_t ranges, SamplingPolicy* policy);

// The peaks among the values of a sample of `group`.
std::vector<PeakEvent> PeaksIn(const PlannedGroup& group, int device,
                               const std::vector<double>& values);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SAMPLING_SAMPLE_READER_H_
