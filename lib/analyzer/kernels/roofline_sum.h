// SPDX-License-Identifier: Apache-2.0
//
// The roofline of a range: that of all launches of its kernels together.
#ifndef PROF_LIB_ANALYZER_KERNELS_ROOFLINE_SUM_H_
#define PROF_LIB_ANALYZER_KERNELS_ROOFLINE_SUM_H_

#include <vector>

#include "prof/kernel_report.h"

namespace prof::analyzer {

// Bytes and operations are sums over all launches, and rates are over the sum of their durations.
// Ceilings and peaks are means over that time. A level, or the operations, are absent where they
// were not counted for kernels with more than 1 % of the time. The operations are those of the kind
// that needs most time at its peak.
[[nodiscard]] Roofline SumRooflines(const std::vector<const KernelReport*>& kernels);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_KERNELS_ROOFLINE_SUM_H_
