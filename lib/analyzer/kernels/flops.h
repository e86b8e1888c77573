// SPDX-License-Identifier: Apache-2.0
//
// Floating-point operations of a kernel by type, from counters of instructions and of the tensor
// cores' operations, and the peak rate of the device.
#ifndef PROF_LIB_ANALYZER_KERNELS_FLOPS_H_
#define PROF_LIB_ANALYZER_KERNELS_FLOPS_H_

#include <string>
#include <vector>

#include "lib/snapshot/model/model.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

struct CountedFlops {
  std::vector<FlopCount> kinds;    // each kind that was counted, most operations first
  std::vector<std::string> notes;  // sentences on rates that were left out
};

// Counters of instructions are exact, but they are read in launches that have no time: a rate is a
// count over the median duration, in the run (`duration_ns`) and of the launches that were counted.
// A rate above the peak is left out. `device` may be null.
[[nodiscard]] CountedFlops CountFlops(const Measured& counters, const Statistic& duration_ns,
                                      const model::Device* device);

// The SM clock that goes with the time in the run: its own where it is known, else that of the
// samples, else the highest that the device reports; 0: none of them.
[[nodiscard]] double SmClockOfRun(const Measured& counters, const model::Device* device);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_KERNELS_FLOPS_H_
