// SPDX-License-Identifier: Apache-2.0
//
// One context under CUPTI's range profiler, with user ranges and user replay: only what happens
// between Push and Pop is counted, everything else runs untouched.
//
// Not thread safe: the sampler lets one thread at a time in.
#ifndef PROF_CUPTI_BACKEND_SAMPLING_RANGE_PROFILER_H_
#define PROF_CUPTI_BACKEND_SAMPLING_RANGE_PROFILER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cupti_backend/api/cupti_api.h"
#include "cupti_backend/metrics/pass_planner.h"

namespace prof::cupti {

class RangeProfiler {
 public:
  // Ranges between two decodes. The first Start costs about 1.1 ms for each of them.
  static constexpr size_t kMaxRanges = 48;

  enum class Mode {
    kUserRanges,      // one pass: what runs between Push and Pop is counted as it is
    kReplayedKernels  // any number of passes: each kernel between Push and Pop is run once for each
  };

  RangeProfiler(const CuptiApi* api, CUcontext context, Mode mode)
      : api_(api), context_(context), mode_(mode) {}

  size_t max_ranges() const { return mode_ == Mode::kUserRanges ? kMaxRanges : 1; }
  // Whether a range has the name that Push was given. CUPTI names replayed kernels itself.
  bool names_ranges() const { return mode_ == Mode::kUserRanges; }

  // Each returns CUPTI's result; the context need not be current.
  CUptiResult Enable(const PassPlan& plan);
  CUptiResult Configure(const PlannedGroup& group);  // a group of that plan; then Start
  CUptiResult Start();
  CUptiResult Push(const char* name);
  CUptiResult Pop();
  CUptiResult Stop();
  // Waits for the context's work. Fills `ranges`.
  CUptiResult Decode(size_t* ranges);
  CUptiResult Disable();

  // The image that was decoded, for MetricEvaluator.
  const uint8_t* counter_data() const { return counter_data_.data(); }
  size_t counter_data_bytes() const { return counter_data_bytes_; }

 private:
  // CUPTI 13.0 counts smsp__sass_* (0 for ever otherwise) only if the first configuration that was
  // ever started on an object asks for some.
  CUptiResult CountSoftwareFirst(const PassPlan& plan);
  CUptiResult StartCounting();
  CUptiResult StopCounting();
  // Also makes the metrics of `group` those that the next counter data image is initialized for:
  // CUPTI 13.0 takes them from the last call.
  CUptiResult CounterDataSize(const PlannedGroup& group, size_t* bytes) const;

  const CuptiApi* api_;
  CUcontext context_;
  const Mode mode_;
  CUpti_RangeProfiler_Object* object_ = nullptr;
  // CUPTI 13.0 goes on reading from where the first SetConfig pointed, even after a second one with
  // other addresses (freed memory: NaN or a crash in the next Start). So both images have one
  // place for life, large enough for every group, and are overwritten there.
  std::vector<uint8_t> config_image_;
  std::vector<uint8_t> counter_data_;
  size_t counter_data_bytes_ = 0;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SAMPLING_RANGE_PROFILER_H_
