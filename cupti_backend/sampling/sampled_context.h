// SPDX-License-Identifier: Apache-2.0
//
// A CUDA context whose work is sampled, as the sampler's threads share it.
#ifndef PROF_CUPTI_BACKEND_SAMPLING_SAMPLED_CONTEXT_H_
#define PROF_CUPTI_BACKEND_SAMPLING_SAMPLED_CONTEXT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "cupti_backend/sampling/counter_plans.h"
#include "cupti_backend/sampling/range_profiler.h"
#include "cupti_backend/sampling/trace_pause.h"
#include "cupti_backend/schedule/sample_schedule.h"
#include "cupti_backend/schedule/stream_watch.h"
#include "lib/capture/events/events.h"

namespace prof::cupti {

// What was under a counter range since the last decode; its place is the range's name.
struct Sample {
  SampleSchedule::Entry* signature = nullptr;
  capture::SampleUnit unit = capture::SampleUnit::kKernel;
  uint32_t group = 0, correlation = 0, path = 0;
  int64_t begin_ns = 0, end_ns = 0;
};

struct SampledContext {
  // kBusy: another program holds the counters; the worker tries again.
  enum class Phase { kFree, kNew, kReady, kRunning, kBusy, kFailed, kClosed };

  std::atomic<Phase> phase{Phase::kFree};
  std::atomic<CUcontext> handle{nullptr};
  StreamWatch streams;

  // From phase kReady on:
  ContextPlan plan;
  std::vector<Tracing> tracing;  // by pass group

  std::atomic<int> active{-1};  // group that is counted; changes under the sampler's busy_
  std::atomic<int> wanted{-1};  // group that launches ask for; -1: none

  // The worker, in phase kBusy:
  int refusals = 0;
  int64_t busy_since_ns = 0, retry_ns = 0;

  // Under the sampler's busy_:
  std::unique_ptr<RangeProfiler> profiler;
  bool started = false;
  std::vector<Sample> samples;
  int64_t not_before_ns = 0;  // the GPU was not idle when it had to be: not again before this
  int64_t retry_after_ns = 0;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SAMPLING_SAMPLED_CONTEXT_H_
