// SPDX-License-Identifier: Apache-2.0
//
// Where a kernel stands under the roofline, from its counters and the device's peaks.
#ifndef PROF_LIB_ANALYZER_KERNELS_ROOFLINE_H_
#define PROF_LIB_ANALYZER_KERNELS_ROOFLINE_H_

#include <optional>
#include <string>
#include <vector>

#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

// DRAM bytes per second at `clock_hz` of the DRAM (0: the highest that the device reports); from
// CUPTI's peak per cycle, else from bus width and double data rate.
std::optional<double> DramPeak(const model::Device* device, double clock_hz);

// Position from `kernel.metrics` and `kernel.flops`. Readings above the device's peak are left out,
// and `notes` gets a sentence for each.
Roofline ComputeRoofline(const KernelReport& kernel, const model::Device* device,
                         std::vector<std::string>* notes);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_KERNELS_ROOFLINE_H_
