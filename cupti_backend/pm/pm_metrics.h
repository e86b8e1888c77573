// SPDX-License-Identifier: Apache-2.0
//
// The PM metrics are what PM sampling reads: the speed of light of DRAM, L2, SM issue and tensor
// pipes, in one pass. Together they cost four times as much as DRAM alone, so DRAM has its own
// plan.
#ifndef PROF_CUPTI_BACKEND_PM_PM_METRICS_H_
#define PROF_CUPTI_BACKEND_PM_PM_METRICS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cupti_backend/metrics/metric_host.h"

namespace prof::cupti {

struct PmPlan {
  std::vector<std::string> metrics;
  std::vector<uint8_t> config_image;
  std::string left_out;  // units that this chip cannot sample; empty: none
};

// `host` was made for CUPTI_PROFILER_TYPE_PM_SAMPLING. For each unit the first metric that the chip
// has and that fits the pass; metrics is empty when there is none.
PmPlan PlanPmSampling(const MetricHost& host, bool dram_only);

// What PM sampling of a device needs. It is made once in a process.
struct PmHost {
  std::vector<uint8_t> availability;  // the host object keeps reading it
  PmPlan all, dram;
  std::unique_ptr<MetricEvaluator> evaluator;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_PM_PM_METRICS_H_
