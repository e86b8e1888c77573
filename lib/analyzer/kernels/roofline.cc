// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/kernels/roofline.h"

#include <algorithm>

#include "lib/analyzer/base/ceilings.h"
#include "lib/analyzer/base/metrics.h"
#include "lib/analyzer/kernels/flops.h"
#include "lib/analyzer/kernels/roofline_levels.h"
#include "lib/format/ceilings.h"
#include "lib/format/metric_names.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

constexpr char kOfRun[] = "run";
constexpr char kDramPeakPerCycle[] = "dram__bytes.sum.peak_sustained";

double FromKilohertz(uint32_t khz) { return 1e3 * khz; }

std::optional<double> Peak(const model::Device* device, const std::string& metric) {
  if (device == nullptr) return std::nullopt;
  const auto it = device->peaks.find(metric);
  if (it == device->peaks.end() || !(it->second > 0)) return std::nullopt;
  return it->second;
}

// The kind that needs most time at its peak, else the one with most operations.
const FlopCount* Leading(const std::vector<FlopCount>& flops) {
  const FlopCount* leading = nullptr;
  double longest_s = 0;
  for (const FlopCount& count : flops) {
    if (!(count.per_launch > 0)) continue;
    if (leading == nullptr) leading = &count;
    if (!count.peak_per_s) return &flops.front();
    const double time_s = count.per_launch / *count.peak_per_s;
    if (time_s <= longest_s) continue;
    longest_s = time_s;
    leading = &count;
  }
  return leading;
}

bool OfRun(const Roofline& roofline) { return roofline.rates_of == kOfRun; }

void SetFlops(const std::vector<FlopCount>& flops, const model::Device* device,
              Roofline* roofline) {
  if (flops.empty()) {
    roofline->flops_missing =
        "smsp__sass_thread_inst_executed_op_*, sm__ops_path_tensor_* (--counters all)";
  }
  const FlopCount* const leading = Leading(flops);
  if (leading == nullptr) return;
  const bool of_run = OfRun(*roofline);
  const std::optional<double>& rate = of_run ? leading->per_s : leading->sampled_per_s;
  if (!rate) return;
  roofline->flops_per_s = rate;
  roofline->flop_kind = leading->kind;
  roofline->flop_peak_per_s = of_run ? leading->peak_per_s : leading->sampled_peak_per_s;
  if (roofline->flop_peak_per_s) {
    roofline->flop_ceiling =
        "peak of the chip, dense, at " + text::Rate(roofline->sm_clock_hz, "Hz");
  }
  const model::Ceiling* const measured =
      FindCeiling(device, std::string(format::kCeilingFlops) + leading->kind);
  if (measured == nullptr) return;
  roofline->flop_peak_per_s = AtSmClock(*measured, roofline->sm_clock_hz);
  roofline->flop_ceiling = DescribeCeiling(*measured);
}

// The time that the rates are of. Counted launches start with other caches, so their bytes over the
// time in the run may be more than the DRAM can move: then the rates are those of the samples.
void ChooseTime(const Measured& counters, const Statistic& duration_ns,
                const std::optional<double>& dram_bytes, const model::Device* device,
                Roofline* roofline) {
  const double sampled_ns = counters.clock.sampled_ns.n > 0
                                ? counters.clock.sampled_ns.median
                                : counters.Metric(format::kWindowMetric).value_or(0);
  const double run_ns = duration_ns.n > 0 ? duration_ns.median : 0;
  const bool too_much =
      dram_bytes && roofline->dram_peak_bytes_per_s && run_ns > 0 && sampled_ns > run_ns &&
      *dram_bytes / (run_ns * 1e-9) > *roofline->dram_peak_bytes_per_s * kPeakTolerance;
  const bool of_run = run_ns > 0 && !too_much;
  roofline->time_ns = of_run ? run_ns : sampled_ns;
  if (!(roofline->time_ns > 0)) return;
  roofline->rates_of = of_run ? kOfRun : "samples";
  roofline->sm_clock_hz =
      of_run ? SmClockOfRun(counters, device) : counters.Metric(format::kSmClockMetric).value_or(0);
}

// The rate of the counters is over the time of the samples.
void SetDramRate(const Measured& counters, const std::optional<double>& bytes, Roofline* roofline) {
  roofline->sampled_dram_bytes_per_s = counters.Metric(format::kDramRateMetric);
  roofline->dram_bytes_per_s = roofline->sampled_dram_bytes_per_s;
  if (bytes && roofline->time_ns > 0 && roofline->sampled_dram_bytes_per_s) {
    roofline->dram_bytes_per_s = *bytes / (roofline->time_ns * 1e-9);
  }
}

}  // namespace

std::string AbovePeak(const std::string& what, double value, double peak) {
  return what + " read " + text::Fixed(100 * value / peak, 1) +
         " % of the device's peak, above what it can reach: not used";
}

std::optional<double> DramPeak(const model::Device* device, double clock_hz) {
  if (device == nullptr) return std::nullopt;
  if (!(clock_hz > 0)) clock_hz = FromKilohertz(device->memory_clock_khz);
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

Roofline ComputeRoofline(const Measured& counters, const Statistic& duration_ns,
                         const std::vector<FlopCount>& flops, const model::Device* device) {
  Roofline roofline;
  const std::optional<double> dram_bytes = DramBytes(counters);
  roofline.dram_peak_bytes_per_s = DramPeakOf(counters.metrics, device);
  ChooseTime(counters, duration_ns, dram_bytes, device, &roofline);
  SetDramRate(counters, dram_bytes, &roofline);
  SetFlops(flops, device, &roofline);
  roofline.levels = FindLevels(counters, roofline, device);
  if (roofline.flops_per_s && roofline.dram_bytes_per_s && *roofline.dram_bytes_per_s > 0) {
    roofline.flops_per_byte = *roofline.flops_per_s / *roofline.dram_bytes_per_s;
  }
  FindBound(&roofline);
  return roofline;
}

void FindBound(Roofline* roofline) {
  if (!roofline->flops_per_s) return;
  if (roofline->flop_peak_per_s) {
    roofline->attainable_flops_per_s = roofline->flop_peak_per_s;
    roofline->bound_by = "compute";
  }
  for (RooflineLevel& level : roofline->levels) {
    if (!level.bytes_per_s || !(*level.bytes_per_s > 0)) continue;
    level.flops_per_byte = *roofline->flops_per_s / *level.bytes_per_s;
    if (!level.ceiling_bytes_per_s) continue;
    const double under_level = *level.flops_per_byte * *level.ceiling_bytes_per_s;
    level.attainable_flops_per_s = under_level;
    if (roofline->flop_peak_per_s) {
      level.ridge = *roofline->flop_peak_per_s / *level.ceiling_bytes_per_s;
      level.attainable_flops_per_s = std::min(under_level, *roofline->flop_peak_per_s);
    }
    if (roofline->attainable_flops_per_s && under_level >= *roofline->attainable_flops_per_s) {
      continue;
    }
    roofline->attainable_flops_per_s = under_level;
    roofline->bound_by = level.level;
  }
  if (roofline->attainable_flops_per_s) {
    roofline->of_attainable = *roofline->flops_per_s / *roofline->attainable_flops_per_s;
  }
}

}  // namespace prof::analyzer
