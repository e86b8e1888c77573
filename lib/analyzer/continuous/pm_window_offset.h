// SPDX-License-Identifier: Apache-2.0
//
// What windows of a recording give for the clock's offset, each by itself, and their median.
#ifndef PROF_LIB_ANALYZER_CONTINUOUS_PM_WINDOW_OFFSET_H_
#define PROF_LIB_ANALYZER_CONTINUOUS_PM_WINDOW_OFFSET_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace prof::analyzer {

struct PmWindowOffset {
  double ns = 0;         // samples' times minus operations' times
  double deviation = 0;  // standard deviation in ns, by the curvature of the residuals
  int64_t time_ns = 0;   // of the window
};

struct PmMedianOffset {
  double ns = 0;
  double error_ns = 0;  // half width; infinite with fewer than two windows
};
// Weighted by how exact each window is, with the spread between them as its error.
[[nodiscard]] PmMedianOffset MedianOffset(const std::vector<PmWindowOffset>& windows);

// How much more windows differ than chance makes them: their spread over what their deviations
// give, squared, and at least 1. Empty windows: 1.
[[nodiscard]] double Dispersion(const std::vector<PmWindowOffset>& windows);

// The line through the windows by Theil and Sen: its slope is the median of those of all pairs, so
// that stray windows do not turn it.
struct PmOffsetLine {
  double first_ns = 0, last_ns = 0;  // in the middle of the first and of the last third of the time
  double spread = 1;                 // of the windows around it, over that around their median
};
// Costs the square of the windows. Fewer than two windows, or all of one time: no slope.
[[nodiscard]] PmOffsetLine LineThrough(const std::vector<PmWindowOffset>& windows);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_PM_WINDOW_OFFSET_H_
