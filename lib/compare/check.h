// SPDX-License-Identifier: Apache-2.0
//
// The gate: a comparison with a baseline as an exit status, as JUnit XML, and as annotations of
// GitHub's workflows.
#ifndef PROF_LIB_COMPARE_CHECK_H_
#define PROF_LIB_COMPARE_CHECK_H_

#include <iosfwd>

#include "prof/compare.h"

namespace prof::compare {

inline constexpr int kFine = 0;
inline constexpr int kRegression = 1;
inline constexpr int kOpen = 3;  // 2 is a wrong option

// kRegression where anything is slower, else kOpen where anything is inconclusive, else kFine.
[[nodiscard]] int StatusOf(const Comparison& comparison);

// One test case for each tested kernel and quantity: slower is a failure, inconclusive is skipped.
void WriteJunit(std::ostream& out, const Comparison& comparison);

// "::error title=...::..." for what is slower, "::warning ..." for what is inconclusive.
void WriteGithub(std::ostream& out, const Comparison& comparison);

}  // namespace prof::compare

#endif  // PROF_LIB_COMPARE_CHECK_H_
