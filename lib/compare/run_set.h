// SPDX-License-Identifier: Apache-2.0
//
// Reports become runs of one program. prof/compare.h declares Collect() and SetNoise().
#ifndef PROF_LIB_COMPARE_RUN_SET_H_
#define PROF_LIB_COMPARE_RUN_SET_H_

#include <string>

namespace prof::compare {

// A range's label without its count, which may differ between runs: "layer */mlp" for
// "layer */mlp (8 ranges)".
[[nodiscard]] std::string RangeName(const std::string& label);

}  // namespace prof::compare

#endif  // PROF_LIB_COMPARE_RUN_SET_H_
