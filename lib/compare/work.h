// SPDX-License-Identifier: Apache-2.0
//
// Whether a kernel does other work than before. Exact counters decide it: the program alone sets
// them, so that one run of each side can be enough, and noise of the time does not matter.
#ifndef PROF_LIB_COMPARE_WORK_H_
#define PROF_LIB_COMPARE_WORK_H_

#include <string>
#include <vector>

#include "prof/compare.h"

namespace prof::compare {

// Decides over the exact counters, and sets CounterChange::certain of those that changed. One
// counts as changed by CompareOptions::threshold of itself and of all work of its kind, or by
// noise_factor times what it differs by within a side, where that is more.
[[nodiscard]] ComparedWork DecideWork(const CompareOptions& options,
                                      std::vector<CounterChange>* counters);

// Work that cannot be compared, for the reason `why`.
[[nodiscard]] ComparedWork NoWork(std::string why);

// More, less, or some of both.
[[nodiscard]] bool IsOtherWork(WorkChange change);
// More, or more of some: what a gate on the work refuses.
[[nodiscard]] bool IsMoreWork(WorkChange change);

// "1 more, 11 same", over the kernels that were tested; empty: the work of none is known.
[[nodiscard]] std::string WorkCountText(const Comparison& comparison);

}  // namespace prof::compare

#endif  // PROF_LIB_COMPARE_WORK_H_
