// SPDX-License-Identifier: Apache-2.0
//
// The bar on the first screen: where the time went, by what limits the kernels and why the GPU was
// idle.
#ifndef PROF_LIB_REPORT_TEXT_TIME_BAR_H_
#define PROF_LIB_REPORT_TEXT_TIME_BAR_H_

#include <iosfwd>
#include <string>
#include <vector>

#include "lib/report/text/text.h"

namespace prof::report {

// A part of the undisturbed time.
struct Slice {
  char letter;       // its mark in the bar
  std::string name;  // "dram", "copies", "idle: launch"
  double time_ns = 0;
  const char* color;  // ANSI attributes
};

// Kernels by limiter, then copies and memsets, then idle time by cause; each group by time,
// descending. They sum to the time of the rows that are not prof's.
[[nodiscard]] std::vector<Slice> SlicesOf(const Report& report);

// The slices as a bar over the whole width, and what its letters mean.
void WriteTimeBar(std::ostream& out, const Report& report, const TextOptions& options);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_TIME_BAR_H_
