// SPDX-License-Identifier: Apache-2.0
//
// Warp stalls give the reasons for which warps wait, and from them the use of shared memory where
// it was not counted.
#ifndef PROF_LIB_ANALYZER_KERNELS_STALLS_H_
#define PROF_LIB_ANALYZER_KERNELS_STALLS_H_

#include <string_view>
#include <vector>

#include "prof/statistic.h"

namespace prof::analyzer {

struct Stall {
  std::string_view reason;  // "long_scoreboard"
  double share = 0;         // of a warp's latency per instruction
  double cycles = 0;        // per issued instruction
};

// All that FindStalls() looks for. rules/rule_stalls.h has the advice on each.
[[nodiscard]] std::vector<std::string_view> StallReasons();

// By share, descending, without `selected` and `not_selected`, which are no stalls. Empty where a
// reason that was not measured may be the first one: a warp's latency is not known, or what the
// measured reasons leave of it is more than each of them.
[[nodiscard]] std::vector<Stall> FindStalls(const Metrics& metrics);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_KERNELS_STALLS_H_
