// SPDX-License-Identifier: Apache-2.0
//
// The range profiler is one context under CUPTI's range profiler, with user ranges and user replay:
// only the work between Push and Pop is counted, everything else runs untouched.
//
// Not thread safe: the holder of the hardware lease calls it.
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
  // Ranges between two decodes. The first Start after Enable takes about 140 ms, and 1.1 ms for
  // each of them; a later one 1.7 ms (H200).
  static constexpr size_t kMaxRanges = 16;

  enum class Mode {
    kUserRanges,      // one pass: the work between Push and Pop is counted as it runs
    kReplayedKernels  // any number of passes: each kernel between Push and Pop runs once for each
  };

  RangeProfiler(const CuptiApi* api, CUcontext context, Mode mode)
      : api_(api), context_(context), mode_(mode) {}

  // CUPTI may still write into the images of an enabled profiler, so they are never freed then.
  ~RangeProfiler();
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  size_t max_ranges() const { return mode_ == Mode::kUserRanges ? kMaxRanges : 1; }
  // Whether a range has the name that Push was given. CUPTI names replayed kernels itself.
  bool names_ranges() const { return mode_ == Mode::kUserRanges; }

  // Each returns CUPTI's result; the context need not be current.
  CUptiResult Enable(const PassPlan& plan);
  // Before the first Configure. CUPTI 13.0 counts smsp__sass_* only if the first configuration that
  // was started on an object has some of them; otherwise they stay 0.
  CUptiResult CountSoftwareFirst(const PassPlan& plan);
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
  CUptiResult StartCounting();
  CUptiResult StopCounting();
  // Also chooses the metrics of the next counter data image: CUPTI 13.0 takes those of the last
  // call.
  CUptiResult CounterDataSize(const PlannedGroup& group, size_t* bytes) const;

  const CuptiApi* api_;
  CUcontext context_;
  const Mode mode_;
  CUpti_RangeProfiler_Object* object_ = nullptr;
  // CUPTI 13.0 keeps reading from the addresses of the first SetConfig, even after a second one
  // with other addresses (freed memory: NaN or a crash in the next Start). So each image stays at
  // one address, in memory that is large enough for every group. A new image overwrites the old.
  std::vector<uint8_t> config_image_;
  std::vector<uint8_t> counter_data_;
  size_t counter_data_bytes_ = 0;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SAMPLING_RANGE_PROFILER_H_
