// SPDX-License-Identifier: Apache-2.0
//
// The levels of the roofline: the bytes through L1, L2 and DRAM, and the ceiling of each.
#ifndef PROF_LIB_ANALYZER_KERNELS_ROOFLINE_LEVELS_H_
#define PROF_LIB_ANALYZER_KERNELS_ROOFLINE_LEVELS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/snapshot/model/model.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

// Read and written; from the rate and the time of the samples where they were not counted.
[[nodiscard]] std::optional<double> DramBytes(const Measured& counters);

// Bytes, rates over `roofline.time_ns`, and ceilings at `roofline.sm_clock_hz`:
//  - dram: the measured ceiling of its share of reads, else the peak at the DRAM clock.
//  - l2: 32 B for each sector of lts__t_sectors; the measured ceiling, else the rate of the samples
//    over the share of the peak that the sectors had in them.
//  - l1: 32 B for each sector of global and local memory that the load/store unit moved. The
//    measured ceiling, else 128 B per cycle and SM (NVIDIA's tuning guides). Shared memory is not
//    in it.
// Empty when the recording has no counters of the work.
[[nodiscard]] std::vector<RooflineLevel> FindLevels(const Measured& counters,
                                                    const Roofline& roofline,
                                                    const model::Device* device);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_KERNELS_ROOFLINE_LEVELS_H_
