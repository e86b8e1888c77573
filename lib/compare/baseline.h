// SPDX-License-Identifier: Apache-2.0
//
// A baseline as a table for people. prof/compare.h declares Baseline.
#ifndef PROF_LIB_COMPARE_BASELINE_H_
#define PROF_LIB_COMPARE_BASELINE_H_

#include <iosfwd>

#include "prof/compare.h"

namespace prof::compare {

// Each set: its runs, and a line for each kernel and quantity with its time and noise, at most
// `most` of each.
void WriteBaselineText(std::ostream& out, const Baseline& baseline, int width, int most);

}  // namespace prof::compare

#endif  // PROF_LIB_COMPARE_BASELINE_H_
