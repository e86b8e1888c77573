// SPDX-License-Identifier: Apache-2.0
//
// A comparison of runs as one HTML file that needs nothing else.
#ifndef PROF_LIB_HTML_COMPARISON_PAGE_H_
#define PROF_LIB_HTML_COMPARISON_PAGE_H_

#include <iosfwd>

#include "absl/status/status.h"
#include "prof/compare.h"

namespace prof::html {

// The page has the JSON of `comparison`, which has no error. An error: no bundle (kUnimplemented).
[[nodiscard]] absl::Status WriteComparisonPage(std::ostream& out, const Comparison& comparison);

}  // namespace prof::html

#endif  // PROF_LIB_HTML_COMPARISON_PAGE_H_
