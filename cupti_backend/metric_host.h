// SPDX-License-Identifier: Apache-2.0
//
// CUPTI's host half of profiling: metric names, passes, config images, evaluation. Needs no GPU.
#ifndef PROF_CUPTI_BACKEND_METRIC_HOST_H_
#define PROF_CUPTI_BACKEND_METRIC_HOST_H_

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "cupti_backend/cupti_api.h"

namespace prof::cupti {

// A chip's metrics. One thread at a time.
class MetricHost {
 public:
  // `availability`: the device's counter availability image, or empty for all of the chip.
  MetricHost(const CuptiApi* api, std::string chip, std::vector<uint8_t> availability,
             CUpti_ProfilerType type = CUPTI_PROFILER_TYPE_RANGE_PROFILER);

  // True when CUPTI knows the chip.
  bool ok() const { return !base_metrics_.empty(); }
  const std::string& chip() const { return chip_; }

  // True when the part of `metric` before the first '.' is one that the chip has. A wrong name
  // handed to CUPTI spoils its host object, so names are looked up here first.
  bool Knows(const std::string& metric) const;

  // Passes that `metrics` need when read together; 0 when CUPTI rejects them. Fills `image` with
  // the config image when it is not null. About 2 ms.
  size_t Passes(const std::vector<std::string>& metrics, std::vector<uint8_t>* image) const;

 private:
  const CuptiApi* api_;
  std::string chip_;
  std::vector<uint8_t> availability_;
  CUpti_ProfilerType type_;
  std::unordered_set<std::string> base_metrics_;
};

// A host object for evaluating ranges, kept for the life of a profiled context.
class MetricEvaluator {
 public:
  MetricEvaluator(const CuptiApi* api, const std::string& chip,
                  const std::vector<uint8_t>& availability,
                  CUpti_ProfilerType type = CUPTI_PROFILER_TYPE_RANGE_PROFILER);
  ~MetricEvaluator();
  MetricEvaluator(const MetricEvaluator&) = delete;
  MetricEvaluator& operator=(const MetricEvaluator&) = delete;

  // Values of `metrics` in range `index` of a decoded counter data image, NaN where there is none;
  // empty when CUPTI fails.
  std::vector<double> Evaluate(const uint8_t* image, size_t image_bytes, size_t index,
                               const std::vector<std::string>& metrics) const;
  // The name that was pushed for range `index`; empty when CUPTI fails.
  std::string RangeName(const uint8_t* image, size_t image_bytes, size_t index) const;

 private:
  const CuptiApi* api_;
  CUpti_Profiler_Host_Object* host_ = nullptr;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_METRIC_HOST_H_
