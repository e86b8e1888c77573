// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/kernels/roofline_levels.h"

#include <utility>

#include "lib/analyzer/base/ceilings.h"
#include "lib/analyzer/base/metrics.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/format/ceilings.h"
#include "lib/format/metric_names.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

constexpr double kL1BytesPerCycle = 128;   // [hw] of an SM
constexpr double kLeastShareOfPeak = 0.5;  // per cent: below it the quotient is noise

constexpr char kDramRead[] = "dram__bytes_read.sum";
constexpr char kDramWritten[] = "dram__bytes_write.sum";
constexpr char kL2Sectors[] = "lts__t_sectors.sum";
constexpr char kL2Share[] = "lts__t_sectors.avg.pct_of_peak_sustained_elapsed";
constexpr char kL1Global[] = "l1tex__t_sectors_pipe_lsu_mem_global_op_";
constexpr char kL1Local[] = "l1tex__t_sectors_pipe_lsu_mem_local_op_";
constexpr char kAll[] = " (--counters all)";

std::optional<double> Both(const Measured& counters, const std::string& prefix) {
  const auto loads = UsableMedian(counters.metrics, prefix + "ld.sum");
  const auto stores = UsableMedian(counters.metrics, prefix + "st.sum");
  return loads && stores ? std::optional<double>(*loads + *stores) : std::nullopt;
}

void SetCeiling(double bytes_per_s, std::string from, RooflineLevel* level) {
  level->ceiling_bytes_per_s = bytes_per_s;
  level->ceiling = std::move(from);
}

MixCeiling MeasuredDram(const Measured& counters, const model::Device* device) {
  const auto read = UsableMedian(counters.metrics, kDramRead);
  const auto written = UsableMedian(counters.metrics, kDramWritten);
  if (!read || !written || !(*read + *written > 0)) return {};
  return DramCeiling(device, *read / (*read + *written));
}

RooflineLevel Dram(const Measured& counters, const Roofline& roofline,
                   const model::Device* device) {
  RooflineLevel level;
  level.level = "dram";
  level.bytes = DramBytes(counters);
  const bool counted = UsableMedian(counters.metrics, kDramRead).has_value();
  if (!level.bytes) {
    level.missing = "dram__bytes_read.sum, dram__bytes_write.sum (--counters sol)";
  } else {
    level.metric = counted ? "dram__bytes_read.sum + dram__bytes_write.sum"
                           : "dram__bytes.sum.per_second x time of the samples";
  }
  MixCeiling measured = MeasuredDram(counters, device);
  if (measured.per_s > 0) {
    SetCeiling(measured.per_s, std::move(measured.from), &level);
  } else if (roofline.dram_peak_bytes_per_s) {
    SetCeiling(*roofline.dram_peak_bytes_per_s, "peak of the chip at the DRAM clock", &level);
  }
  return level;
}

RooflineLevel L2(const Measured& counters, const model::Device* device) {
  RooflineLevel level;
  level.level = "l2";
  const auto sectors = UsableMedian(counters.metrics, kL2Sectors);
  if (sectors) {
    level.bytes = *sectors * kSectorBytes;
    level.metric = "lts__t_sectors.sum x 32 B";
  } else {
    level.missing = std::string(kL2Sectors) + kAll;
  }
  if (const model::Ceiling* const measured = FindCeiling(device, format::kCeilingL2)) {
    SetCeiling(measured->per_s, DescribeCeiling(*measured), &level);
    return level;
  }
  const auto percent = UsableMedian(counters.metrics, kL2Share);
  const Statistic& time_ns = counters.clock.sampled_ns;
  if (level.bytes && percent && *percent >= kLeastShareOfPeak && time_ns.n > 0) {
    SetCeiling(*level.bytes / (time_ns.median * 1e-9) / (*percent / 100),
               "peak of the chip: rate of the samples over " + std::string(kL2Share), &level);
  }
  return level;
}

RooflineLevel L1(const Measured& counters, const Roofline& roofline, const RooflineLevel& l2,
                 const model::Device* device) {
  RooflineLevel level;
  level.level = "l1";
  const std::optional<double> global = Both(counters, kL1Global);
  const double local = Both(counters, kL1Local).value_or(0);
  if (!global) {
    level.missing = std::string(kL1Global) + "{ld,st}.sum" + kAll;
  } else if (l2.bytes && (*global + local) * kSectorBytes < kLsuShareOfL2 * *l2.bytes) {
    level.missing = "no counter: most bytes came past the load/store unit (TMA, textures, fills)";
  } else {
    level.bytes = (*global + local) * kSectorBytes;
    level.metric = "sectors of global and local memory of the load/store unit x 32 B";
  }
  if (const model::Ceiling* const measured = FindCeiling(device, format::kCeilingL1)) {
    SetCeiling(AtSmClock(*measured, roofline.sm_clock_hz), DescribeCeiling(*measured), &level);
  } else if (device != nullptr && device->sm_count > 0 && roofline.sm_clock_hz > 0) {
    SetCeiling(kL1BytesPerCycle * device->sm_count * roofline.sm_clock_hz,
               "peak of the chip: 128 B x " + std::to_string(device->sm_count) + " SMs at " +
                   text::Rate(roofline.sm_clock_hz, "Hz"),
               &level);
  }
  return level;
}

void SetRate(double time_ns, RooflineLevel* level) {
  if (!level->bytes || !(time_ns > 0)) return;
  level->bytes_per_s = *level->bytes / (time_ns * 1e-9);
  if (level->ceiling_bytes_per_s) {
    level->of_ceiling = *level->bytes_per_s / *level->ceiling_bytes_per_s;
  }
}

}  // namespace

std::optional<double> DramBytes(const Measured& counters) {
  const auto read = UsableMedian(counters.metrics, kDramRead);
  const auto written = UsableMedian(counters.metrics, kDramWritten);
  if (read && written) return *read + *written;
  const auto rate = UsableMedian(counters.metrics, format::kDramRateMetric);
  const Statistic& time_ns = counters.clock.sampled_ns;
  if (!rate || time_ns.n == 0) return std::nullopt;
  return *rate * time_ns.median * 1e-9;
}

std::vector<RooflineLevel> FindLevels(const Measured& counters, const Roofline& roofline,
                                      const model::Device* device) {
  if (counters.metrics.empty()) return {};
  RooflineLevel l2 = L2(counters, device);
  std::vector<RooflineLevel> levels = {L1(counters, roofline, l2, device)};
  levels.push_back(std::move(l2));
  levels.push_back(Dram(counters, roofline, device));
  for (RooflineLevel& level : levels) SetRate(roofline.time_ns, &level);
  return levels;
}

}  // namespace prof::analyzer
