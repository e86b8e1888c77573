// SPDX-License-Identifier: Apache-2.0
//
// A comparison as text, for people. prof/compare.h declares WriteComparison().
#ifndef PROF_LIB_COMPARE_COMPARE_TEXT_H_
#define PROF_LIB_COMPARE_COMPARE_TEXT_H_

#include <string>
#include <vector>

#include "prof/compare.h"

namespace prof::compare {

// "2 slower, 1 inconclusive, 11 same", over what was tested.
[[nodiscard]] std::string CountText(const Comparison& comparison);

// What stands under a kernel: why, how it was matched, both modes, what moved.
[[nodiscard]] std::vector<std::string> NotesOn(const KernelChange& kernel);

// "1.081 (1.075 to 1.090)"; "-" where a side has no value.
[[nodiscard]] std::string RatioText(const Compared& compared);

}  // namespace prof::compare

#endif  // PROF_LIB_COMPARE_COMPARE_TEXT_H_
