// SPDX-License-Identifier: Apache-2.0
//
// Comparisons and baselines as JSON. prof/compare.h declares WriteComparisonJson(), ReadBaseline()
// and WriteBaseline(). docs/guide/compare.md has the keys.
#ifndef PROF_LIB_COMPARE_COMPARE_JSON_H_
#define PROF_LIB_COMPARE_COMPARE_JSON_H_

#include "prof/compare.h"

namespace prof::compare {

inline constexpr int kComparisonSchema = 1;
inline constexpr int kBaselineSchema = 1;

}  // namespace prof::compare

#endif  // PROF_LIB_COMPARE_COMPARE_JSON_H_
