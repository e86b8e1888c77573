// SPDX-License-Identifier: Apache-2.0
//
// The metric host is CUPTI's host half of profiling: metric names, passes, config images,
// evaluation. It needs no GPU.
#ifndef PROF_CUPTI_BACKEND_METRICS_METRIC_HOST_H_
#define PROF_CUPTI_BACKEND_METRICS_METRIC_HOST_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cupti_backend/api/cupti_api.h"

namespace prof::cupti {

enum class MetricKind : uint8_t { kCounter, kRatio, kThroughput };

// CUPTI's description of a metric.
struct MetricDescription {
  std::string description;
  std::string hardware;  // "dram"
  std::string unit;      // "byte"
};

// The chips that CUPTI has metrics for, sorted.
std::vector<std::string> SupportedChips(const CuptiApi& api);

// Whether a device is asked which counters it has. On an H200 that takes 130 to 580 ms, in which
// the program's launches wait. Without it a plan is of all that the chip has; where another client
// or a partition of the GPU has taken some, CUPTI refuses the plan later.
enum class Availability { kAssumed, kAsked };

// A chip's metrics. One thread at a time.
class MetricHost {
 public:
  // `availability`: the device's counter availability image, or empty for all of the chip.
  MetricHost(const CuptiApi* api, std::string chip, std::vector<uint8_t> availability,
             CUpti_ProfilerType type = CUPTI_PROFILER_TYPE_RANGE_PROFILER);

  // True when CUPTI knows the chip.
  bool ok() const { return !metrics_.empty(); }
  const std::string& chip() const { return chip_; }

  // All base names: what stands before the suffix.
  const std::map<std::string, MetricKind>& metrics() const { return metrics_; }

  // The base name in `metric`; empty when the chip does not have it. A wrong name spoils CUPTI's
  // host object, so names are looked up here first.
  std::string BaseOf(const std::string& metric) const;
  bool Knows(const std::string& metric) const { return !BaseOf(metric).empty(); }

  // What may follow a base name: ".sum", ".avg.per_second".
  std::vector<std::string> Suffixes(const std::string& base) const;

  // Parallel to `bases`.
  std::vector<MetricDescription> Describe(const std::vector<std::string>& bases) const;

  // Base names of the parts of a throughput, which is their maximum; empty: it has none, or they
  // are not known. A part may be a throughput itself.
  std::vector<std::string> PartsOf(const std::string& throughput) const;

  // Passes that `metrics` need when read together; 0 when CUPTI rejects them. Fills `image` with
  // the config image when it is not null. About 2 ms.
  size_t Passes(const std::vector<std::string>& metrics, std::vector<uint8_t>* image) const;

 private:
  const CuptiApi* api_;
  std::string chip_;
  std::vector<uint8_t> availability_;
  CUpti_ProfilerType type_;
  std::map<std::string, MetricKind> metrics_;
  mutable std::optional<std::map<std::string, std::vector<std::string>>> parts_;  // once needed
};

// The metric evaluator evaluates ranges. It lives as long as its profiled context.
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

#endif  // PROF_CUPTI_BACKEND_METRICS_METRIC_HOST_H_
