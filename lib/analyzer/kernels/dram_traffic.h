// SPDX-License-Identifier: Apache-2.0
//
// The bytes that a launch of a kernel moves from and to DRAM, by its counters or its PM samples.
#ifndef PROF_LIB_ANALYZER_KERNELS_DRAM_TRAFFIC_H_
#define PROF_LIB_ANALYZER_KERNELS_DRAM_TRAFFIC_H_

#include <optional>

#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

// What a launch reads from DRAM and writes to it.
struct DramTraffic {
  double read = 0, written = 0;  // bytes
  double read_at_least = 0;      // the lower end of the error bound of PM samples
  double peak = 0;               // bytes per second
  double l2_bytes = 0;
  double median_ns = 0;  // of a launch; 0: not known

  double Bytes() const { return read + written; }
};

// Absent where its bytes are not known.
[[nodiscard]] std::optional<DramTraffic> DramTrafficOf(const model::Model& model,
                                                       const KernelReport& kernel);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_KERNELS_DRAM_TRAFFIC_H_
