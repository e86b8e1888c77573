// SPDX-License-Identifier: Apache-2.0
//
// What moved in the counters of a kernel, in words.
#ifndef PROF_LIB_COMPARE_EXPLAIN_H_
#define PROF_LIB_COMPARE_EXPLAIN_H_

#include <optional>
#include <string>
#include <vector>

#include "prof/compare.h"

namespace prof::compare {

// The properties and counters that both sides have: what moved first, by how much.
[[nodiscard]] std::vector<CounterChange> CompareCounters(const KernelRuns& before,
                                                         const KernelRuns& after);

// The ratio of the exact counter of work that moved most; 1 where such counters exist and none
// moved; nullopt where there are none. A counter that was 0 on one side has no ratio.
[[nodiscard]] std::optional<double> WorkRatio(const std::vector<CounterChange>& counters);

// Sentences: which work, which unit and which clock changed. Work that cannot have changed the time
// is no cause, and is listed only. Without counters: how to get them. `same_device`: false where
// times were normalized between devices, so that the clock is in them no more.
[[nodiscard]] std::vector<std::string> Explain(const KernelRuns& before, const KernelRuns& after,
                                               const KernelChange& change, bool same_device);

}  // namespace prof::compare

#endif  // PROF_LIB_COMPARE_EXPLAIN_H_
