// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/trace_pause.h"

#include <algorithm>
#include <string_view>

#include "cupti_backend/metrics/metric_cost.h"
#include "cupti_backend/metrics/metric_levels.h"

namespace prof::cupti {
namespace {

bool Has(std::string_view metric, std::string_view part) {
  return metric.find(part) != std::string_view::npos;
}

// Is related to the kernel's own time, which only its record has.
bool NeedsTime(const std::string& metric) {
  return metric != kWindowMetric && (Has(metric, "_elapsed") || Has(metric, ".per_second"));
}

bool OfSm(const std::string& metric) { return CostOf(metric) == MetricCost::kSm; }

}  // namespace

Tracing TracingFor(const std::vector<std::string>& metrics) {
  if (std::any_of(metrics.begin(), metrics.end(), IsSoftware)) return Tracing::kNeverTraced;
  const bool untraced = std::any_of(metrics.begin(), metrics.end(), OfSm) &&
                        std::none_of(metrics.begin(), metrics.end(), NeedsTime);
  return untraced ? Tracing::kUntraced : Tracing::kTraced;
}

bool TracePause::Begin() {
  // A launch that enters now is either counted below or sees paused_.
  if (paused_.exchange(true, std::memory_order_seq_cst)) return false;
  if (!gate_->OthersUnderWay() &&
      api_->activity_disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) == CUPTI_SUCCESS) {
    return true;
  }
  paused_.store(false, std::memory_order_seq_cst);
  return false;
}

CUptiResult TracePause::End() {
  const CUptiResult result = api_->activity_enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  paused_.store(false, std::memory_order_seq_cst);
  return result;
}

}  // namespace prof::cupti
