// SPDX-License-Identifier: Apache-2.0
//
// What moved in the counters of a kernel, in words.
#ifndef PROF_LIB_COMPARE_EXPLAIN_H_
#define PROF_LIB_COMPARE_EXPLAIN_H_

#include <string>
#include <vector>

#include "prof/compare.h"

namespace prof::compare {

// Sentences: which work, which unit and which clock changed. Work that changed for certain comes
// first. Work that cannot have changed the time is no cause, and is listed only. Without counters:
// how to get them. `same_device`: false between devices, where the clock is no cause.
[[nodiscard]] std::vector<std::string> Explain(const KernelRuns& before, const KernelRuns& after,
                                               const KernelChange& change, bool same_device);

}  // namespace prof::compare

#endif  // PROF_LIB_COMPARE_EXPLAIN_H_
