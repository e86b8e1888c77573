// SPDX-License-Identifier: Apache-2.0
//
// The metric cost is the time that reading a metric takes from the sampled launch. It depends on
// the hardware unit that is read, and hardly on the number of metrics.
#ifndef PROF_CUPTI_BACKEND_METRICS_METRIC_COST_H_
#define PROF_CUPTI_BACKEND_METRICS_METRIC_COST_H_

#include <cstdint>
#include <string>
#include <vector>

namespace prof::cupti {

// Cheapest first.
enum class MetricCost : uint8_t {
  kTime,      // gpu__time_*
  kSoftware,  // smsp__sass_*: counted by patched code, never in one pass with hardware counters
  kMemory,    // DRAM and L2
  kSm         // anything per SM, and units that were not measured
};

// Time that the launching thread spends on one sampled launch, in ns; measured on an H200 with
// CUPTI 13.0 (docs/internals/counters.md); other chips differ.
int64_t SampleCostNs(MetricCost cost);

// Time that prof's own thread takes to change to a group of these metrics, in ns; measured on an
// H200 with CUPTI 13.0: Start and Stop take 17 to 25 ms where DRAM or L2 is read, 2.5 ms otherwise.
int64_t ChangeCostNs(const std::vector<std::string>& metrics);

const char* ToString(MetricCost cost);  // "DRAM and L2"

// By the unit in the metric's name.
MetricCost CostOf(const std::string& metric);
// The cost of the dearest one.
MetricCost CostOf(const std::vector<std::string>& metrics);

bool IsSoftware(const std::string& metric);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_METRICS_METRIC_COST_H_
