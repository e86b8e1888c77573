// SPDX-License-Identifier: Apache-2.0
//
// What all kernels of a range, or of the run, did together. Where none of them is found on the
// other side, as after a change of the type or of a library, their sums still compare.
#ifndef PROF_LIB_COMPARE_TOGETHER_H_
#define PROF_LIB_COMPARE_TOGETHER_H_

#include <string>
#include <vector>

#include "prof/compare.h"

namespace prof::compare {

// The kernels of one range on both sides; of the run: all of them.
struct Together {
  std::vector<const KernelRuns*> before, after;
  std::vector<const KernelChange*> changes;
  double work = 1;  // after over before: sums after are divided by it
};

// Sentences: the work that changed with the time, by the sum over all launches of what was counted;
// and which kernels are gone and new. `time`: after over before, for the same work. A kernel that
// some runs have counts for these runs. Counters of less than four fifths of the kernels' time on a
// side [own] are no sum; where kernels are gone or new a sentence has what to record. A change is
// one only if it is there as well when each sum is divided by its part of the time.
[[nodiscard]] std::vector<std::string> ExplainTogether(const Together& kernels, double time);

}  // namespace prof::compare

#endif  // PROF_LIB_COMPARE_TOGETHER_H_
