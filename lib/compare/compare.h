// SPDX-License-Identifier: Apache-2.0
//
// The stages of a comparison: match, normalize, measure, decide, explain. prof/compare.h declares
// Compare().
#ifndef PROF_LIB_COMPARE_COMPARE_H_
#define PROF_LIB_COMPARE_COMPARE_H_

#include <string>

#include "prof/compare.h"

namespace prof::compare {

// Why two sets cannot be compared, and the way out; empty: they can.
[[nodiscard]] std::string WhyNot(const RunSet& before, const RunSet& after,
                                 const CompareOptions& options);

// "5 runs on NVIDIA H200 (132 SMs), driver 580.1: ./app".
[[nodiscard]] std::string Describe(const RunSet& runs);

}  // namespace prof::compare

#endif  // PROF_LIB_COMPARE_COMPARE_H_
