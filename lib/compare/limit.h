// SPDX-License-Identifier: Apache-2.0
//
// What limits a kernel in the runs of a side, for comparisons across devices.
#ifndef PROF_LIB_COMPARE_LIMIT_H_
#define PROF_LIB_COMPARE_LIMIT_H_

#include <vector>

#include "prof/compare.h"

namespace prof::compare {

// Of the same kernel in several runs.
[[nodiscard]] KernelLimit LimitOf(const std::vector<const KernelReport*>& runs);

// A word of JSON; kNotMeasured and nothing for a word that is none.
[[nodiscard]] Limiter LimiterOf(const std::string& word);
[[nodiscard]] std::vector<Unit> UnitsOf(const std::vector<std::string>& words);

}  // namespace prof::compare

#endif  // PROF_LIB_COMPARE_LIMIT_H_
