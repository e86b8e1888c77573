// SPDX-License-Identifier: Apache-2.0
//
// The use of the hardware units is computed here, once for the rules, the tables and the
// expectations of tests.
#ifndef PROF_LIB_ANALYZER_KERNELS_UNIT_USE_H_
#define PROF_LIB_ANALYZER_KERNELS_UNIT_USE_H_

#include <optional>
#include <string>
#include <vector>

#include "prof/kernel_report.h"

namespace prof::analyzer {

// The part of L1's wavefronts that is shared memory's.
struct SharedShare {
  std::optional<double> share;
  bool inferred = false;  // from stalls, not measured
  [[nodiscard]] bool IsDoubtful() const { return !share || inferred; }
};

[[nodiscard]] inline bool MayUseShared(const KernelLaunches& kernel) {
  return kernel.static_shared_bytes + kernel.dynamic_shared_bytes != 0;
}

// `may_use_shared`: false for a kernel without shared memory, whose share is 0.
[[nodiscard]] SharedShare FindSharedShare(const Metrics& metrics, bool may_use_shared);

// The units that were measured, by use, descending.
[[nodiscard]] std::vector<UnitUse> FindUnits(const Metrics& metrics, bool may_use_shared);

// The two busiest units: "DRAM 91 % of peak (n=3), L2 23 %"; empty when none was measured.
[[nodiscard]] std::string BusiestUnits(const std::vector<UnitUse>& units);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_KERNELS_UNIT_USE_H_
