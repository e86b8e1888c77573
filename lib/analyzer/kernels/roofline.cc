// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/kernels/roofline.h"

#include "lib/analyzer/base/metrics.h"
#include "lib/format/metric_names.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

constexpr char kDramPeakPerCycle[] = "dram__bytes.sum.peak_sustained";

double Hertz(uint32_t khz) { return 1e3 * khz; }

std::optional<double> Peak(const model::Device* device, const std::string& metric) {
  if (device == nullptr) return std::nullopt;
  const auto it = device->peaks.find(metric);
  if (it == device->peaks.end() || !(it->second > 0)) return std::nullopt;
  return it->second;
}

// The kind with most operations, unless its rate was left out.
void SetFlops(const std::vector<FlopCount>& flops, Roofline* roofline) {
  if (flops.empty() || !(flops.front().per_launch > 0) || !flops.front().per_s) return;
  roofline->flops_per_s = flops.front().per_s;
  roofline->flop_peak_per_s = flops.front().peak_per_s;
  roofline->flop_kind = flops.front().kind;
}

}  // namespace

std::string AbovePeak(const std::string& what, double value, double peak) {
  return what + " read " + text::Fixed(100 * value / peak, 1) +
         " % of the device's peak, above what it can reach: not used";
}

std::optional<double> DramPeak(const model::Device* device, double clock_hz) {
  if (device == nullptr) return std::nullopt;
  if (!(clock_hz > 0)) clock_hz = Hertz(device->memory_clock_khz);
  if (!(clock_hz > 0)) return std::nullopt;
  if (const std::optional<double> per_cycle = Peak(device, kDramPeakPerCycle)) {
    return *per_cycle * clock_hz;
  }
  if (device->memory_bus_bits == 0) return std::nullopt;
  return 2.0 * clock_hz * device->memory_bus_bits / 8;
}

std::optional<double> DramPeakOf(const Metrics& metrics, const model::Device* device) {
  const double clock_hz = MedianIn(metrics, format::kDramClockMetric).value_or(0);
  const std::optional<double> per_cycle = MedianIn(metrics, kDramPeakPerCycle);
  return per_cycle && clock_hz > 0 ? std::optional<double>(*per_cycle * clock_hz)
                                   : DramPeak(device, clock_hz);
}

Roofline ComputeRoofline(const Metrics& metrics, const std::vector<FlopCount>& flops,
                         const model::Device* device) {
  Roofline roofline;
  roofline.dram_peak_bytes_per_s = DramPeakOf(metrics, device);
  roofline.dram_bytes_per_s = MedianIn(metrics, format::kDramRateMetric);
  SetFlops(flops, &roofline);
  if (roofline.flops_per_s && roofline.dram_bytes_per_s && *roofline.dram_bytes_per_s > 0) {
    roofline.flops_per_byte = *roofline.flops_per_s / *roofline.dram_bytes_per_s;
  }
  return roofline;
}

}  // namespace prof::analyzer
