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

// `flops`: most operations first.
[[nodiscard]] Roofline ComputeRoofline(const Metrics& metrics, const std::vector<FlopCount>& flops,
                                       const model::Device* device);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_KERNELS_ROOFLINE_H_
