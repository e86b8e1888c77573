// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/kernels/dram_traffic.h"

#include <algorithm>

#include "lib/analyzer/base/metrics.h"
#include "lib/analyzer/kernels/roofline.h"
#include "lib/format/triage_metrics.h"

namespace prof::analyzer {
namespace {

// A share of the DRAM's peak by PM samples, 0..1, with half the width of its error bound.
struct ShareOfPeak {
  double value = 0, error = 0;
};

std::optional<ShareOfPeak> SampledShare(const KernelReport& kernel, format::TriageUnit unit) {
  for (const auto& [metric, value] : kernel.continuous) {
    const format::TriageMetric* const triage = format::FindTriageMetric(metric);
    if (triage == nullptr || triage->unit != unit) continue;
    if (!value.value || !value.beside.empty()) return std::nullopt;
    return ShareOfPeak{*value.value / 100, value.error / 100};
  }
  return std::nullopt;
}

}  // namespace

std::optional<DramTraffic> DramTrafficOf(const model::Model& model, const KernelReport& kernel) {
  if (kernel.whole_graph) return std::nullopt;
  const model::Device* const device = model.FindDevice(kernel.device);
  const std::optional<double> peak = DramPeak(device, 0);
  if (!peak) return std::nullopt;
  DramTraffic traffic;
  traffic.peak = *peak;
  traffic.l2_bytes = device->l2_bytes;
  traffic.median_ns = kernel.duration_ns.n > 0 ? kernel.duration_ns.median : 0;
  const auto read = UsableMedian(kernel.metrics, "dram__bytes_read.sum");
  const auto written = UsableMedian(kernel.metrics, "dram__bytes_write.sum");
  if (read && written) {
    traffic.read = traffic.read_at_least = *read;
    traffic.written = *written;
    return traffic;
  }
  const auto reads = SampledShare(kernel, format::TriageUnit::kDramRead);
  const auto writes = SampledShare(kernel, format::TriageUnit::kDramWrite);
  if (!reads || !writes || kernel.duration_ns.n == 0) return std::nullopt;
  const double at_peak = *peak * kernel.duration_ns.median * 1e-9;
  traffic.read = reads->value * at_peak;
  traffic.read_at_least = std::max(0.0, reads->value - reads->error) * at_peak;
  traffic.written = writes->value * at_peak;
  return traffic;
}

}  // namespace prof::analyzer
