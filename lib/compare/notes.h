// SPDX-License-Identifier: Apache-2.0
//
// Notes on a comparison: what weakens it, and what was done to its times.
#ifndef PROF_LIB_COMPARE_NOTES_H_
#define PROF_LIB_COMPARE_NOTES_H_

#include <string>
#include <vector>

#include "prof/compare.h"

namespace prof::compare {

// `comparison` has its verdicts.
[[nodiscard]] std::vector<std::string> NotesOnSides(const RunSet& before, const RunSet& after,
                                                    const Comparison& comparison);

}  // namespace prof::compare

#endif  // PROF_LIB_COMPARE_NOTES_H_
