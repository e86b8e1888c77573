// SPDX-License-Identifier: Apache-2.0
//
// Kernels of two sides are paired: first those with the same name, range and launch, then the
// others by what they do.
#ifndef PROF_LIB_COMPARE_MATCH_H_
#define PROF_LIB_COMPARE_MATCH_H_

#include <string>
#include <vector>

#include "prof/compare.h"

namespace prof::compare {

struct Pair {
  const KernelRuns* before = nullptr;  // nullptr: new
  const KernelRuns* after = nullptr;   // nullptr: gone
  Matched matched = Matched::kSame;
  Confidence confidence = Confidence::kHigh;
  std::string why;  // what is equal, what differs; empty for kSame
};

// Each kernel is in one pair. Pairs point into the sets.
[[nodiscard]] std::vector<Pair> MatchKernels(const RunSet& before, const RunSet& after);

}  // namespace prof::compare

#endif  // PROF_LIB_COMPARE_MATCH_H_
