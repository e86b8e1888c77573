// SPDX-License-Identifier: Apache-2.0
//
// The report as text, for people. docs/guide/read-the-report.md explains how to read it.
#ifndef PROF_LIB_REPORT_TEXT_TEXT_H_
#define PROF_LIB_REPORT_TEXT_TEXT_H_

#include <iosfwd>

#include "prof/report.h"

namespace prof {

// The order of ranges and kernels.
enum class SortBy { kTime, kCalls, kAverage, kGain, kName };

struct TextOptions {
  int width = 120;     // columns, at least 80
  int max_rows = 20;   // ranges and kernels shown, at least 1; the others are summed up in one row
  bool color = false;  // ANSI escapes for headings, the bar and what is urgent
  bool utf8 = false;   // lines and ellipses; else ASCII. Names keep their UTF-8
  bool details = false;    // evidence, signatures, samples over time: everything
  bool instances = false;  // ranges that differ in numbers only are listed one by one
  SortBy sort = SortBy::kTime;
  double kernels_ns = 0;  // time of all kernels, for shares of it; 0: those of the report are all
};

void WriteText(std::ostream& out, const Report& report, const TextOptions& options);

}  // namespace prof

#endif  // PROF_LIB_REPORT_TEXT_TEXT_H_
