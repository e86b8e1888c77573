// SPDX-License-Identifier: Apache-2.0
//
// From decoded counter data to the values of each sample.
#ifndef PROF_CUPTI_BACKEND_SAMPLING_SAMPLE_READER_H_
#define PROF_CUPTI_BACKEND_SAMPLING_SAMPLE_READER_H_

#include <string>
#include <vector>

#include "cupti_backend/sampling/sampled_context.h"
#include "lib/capture/events/events.h"

namespace prof::cupti {

// "<counter>.peak_sustained" as CUPTI evaluates it on the real device.
struct PeakEvent {
  int device = 0;
  std::string metric;
  double value = 0;
};

// The samples of `context` that `ranges` decoded ranges hold, in the order of the ranges. One that
// CUPTI lost is missing. Under the sampler's busy_.
std::vector<capture::CounterSampleEvent> ReadSamples(const SampledContext& context, size_t ranges,
                                                     SampleSchedule* schedule);

// The peaks among the values of a sample of `group`.
std::vector<PeakEvent> PeaksIn(const PlannedGroup& group, int device,
                               const std::vector<double>& values);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SAMPLING_SAMPLE_READER_H_
