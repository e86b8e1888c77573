// SPDX-License-Identifier: Apache-2.0
//
// The report as text, for people. docs/guide/read-the-report.md explains how to read it.
#ifndef PROF_LIB_REPORT_TEXT_TEXT_H_
#define PROF_LIB_REPORT_TEXT_TEXT_H_

#include <iosfwd>

#include "prof/report.h"

namespace prof {

struct TextOptions {
  int width = 120;     // columns, at least 80
  int max_rows = 20;   // ranges and kernels shown, at least 1; the others are summed up in one row
  bool color = false;  // ANSI escapes for headings
  bool utf8 = false;   // lines and ellipses; else ASCII. Names keep their UTF-8
};

void WriteText(std::ostream& out, const Report& report, const TextOptions& options);

}  // namespace prof

#endif  // PROF_LIB_REPORT_TEXT_TEXT_H_
