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

// What fails a check.
struct FailOn {
  bool time = true;   // a tested kernel or time of the run is slower
  bool work = false;  // a tested kernel does more work, or more of some
};

// kRegression where anything fails, else kOpen where anything is inconclusive or not measured, else
// kFine.
[[nodiscard]] int StatusOf(const Comparison& comparison, const FailOn& fail_on = {});

// One test case for each tested kernel and quantity, and one for the work of each tested kernel, as
// far as they can fail: what fails is a failure, what is open is skipped.
void WriteJunit(std::ostream& out, const Comparison& comparison, const FailOn& fail_on = {});

// "::error title=...::..." for what fails, "::warning ..." for what is open, "::notice ..." for
// more work that does not fail.
void WriteGithub(std::ostream& out, const Comparison& comparison, const FailOn& fail_on = {});

}  // namespace prof::compare

#endif  // PROF_LIB_COMPARE_CHECK_H_
