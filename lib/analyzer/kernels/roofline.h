// SPDX-License-Identifier: Apache-2.0
//
// The roofline: the position of a kernel under it, from its counters and the device's peaks.
#ifndef PROF_LIB_ANALYZER_KERNELS_ROOFLINE_H_
#define PROF_LIB_ANALYZER_KERNELS_ROOFLINE_H_

#include <optional>
#include <string>
#include <vector>

#include "lib/snapshot/model/model.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

// A value above this multiple of the device's peak is a wrong reading, not a fast kernel: the peak
// itself is exact, but the clock that it is multiplied with was sampled.
inline constexpr double kPeakTolerance = 1.005;

// The sentence on such a value.
[[nodiscard]] std::string AbovePeak(const std::string& what, double value, double peak);

// DRAM bytes per second at `clock_hz` of the DRAM (0: the highest that the device reports); from
// CUPTI's peak per cycle, else from bus width and double data rate. `device` may be null.
[[nodiscard]] std::optional<double> DramPeak(const model::Device* device, double clock_hz);

// At the DRAM clock of the samples.
[[nodiscard]] std::optional<double> DramPeakOf(const Metrics& metrics, const model::Device* device);

// `duration_ns` of a launch in the run; `flops`: most operations first. Rates are of the run where
// its time is known. A ceiling is the one that the recording has (model::Device::ceilings; those of
// SM units scaled to the clock), else the peak of the chip.
[[nodiscard]] Roofline ComputeRoofline(const Measured& counters, const Statistic& duration_ns,
                                       const std::vector<FlopCount>& flops,
                                       const model::Device* device);

// Fills `attainable_flops_per_s` of each level, and of the whole.
void FindBound(Roofline* roofline);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_KERNELS_ROOFLINE_H_
