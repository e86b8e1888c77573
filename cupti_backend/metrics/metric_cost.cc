// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/metrics/metric_cost.h"

#include <algorithm>
#include <string_view>

namespace prof::cupti {

int64_t SampleCostNs(MetricCost cost) {
  switch (cost) {
    case MetricCost::kTime:
      return 8'000;
    case MetricCost::kSoftware:
      return 24'000;
    case MetricCost::kMemory:
      return 50'000;
    case MetricCost::kSm:
      break;
  }
  return 1'000'000;
}

int64_t ChangeCostNs(const std::vector<std::string>& metrics) {
  const bool memory = std::any_of(metrics.begin(), metrics.end(), [](const std::string& metric) {
    return CostOf(metric) == MetricCost::kMemory;
  });
  return memory ? 25'000'000 : 4'000'000;
}

const char* ToString(MetricCost cost) {
  switch (cost) {
    case MetricCost::kTime:
      return "time";
    case MetricCost::kSoftware:
      return "patched code";
    case MetricCost::kMemory:
      return "DRAM and L2";
    case MetricCost::kSm:
      break;
  }
  return "SM and L1";
}

// "metric names which doesn't include _sass_ keyword" are hardware metrics (cupti_profiler_host.h).
bool IsSoftware(const std::string& metric) { return metric.find("_sass_") != std::string::npos; }

MetricCost CostOf(const std::string& metric) {
  if (IsSoftware(metric)) return MetricCost::kSoftware;
  // "LTS.TriageCompute.lts__throughput" is of the unit lts.
  std::string_view name = metric;
  name = name.substr(0, name.find('.', name.find("__")));
  if (const size_t dot = name.rfind('.'); dot != std::string_view::npos)
    name.remove_prefix(dot + 1);
  if (name.rfind("gpu__time_", 0) == 0) return MetricCost::kTime;
  if (name.rfind("gpu__dram_", 0) == 0) return MetricCost::kMemory;
  const std::string_view unit = name.substr(0, name.find("__"));
  for (const char* memory : {"dram", "dramc", "fbpa", "lts", "syslts", "ltc"}) {
    if (unit == memory) return MetricCost::kMemory;
  }
  return MetricCost::kSm;
}

MetricCost CostOf(const std::vector<std::string>& metrics) {
  MetricCost most = MetricCost::kTime;
  for (const std::string& metric : metrics) most = std::max(most, CostOf(metric));
  return most;
}

}  // namespace prof::cupti
