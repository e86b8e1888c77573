// SPDX-License-Identifier: Apache-2.0
//
// The first lines: the program, the span, the devices, and the cost of the counters.
#ifndef PROF_LIB_REPORT_TEXT_HEADER_SECTION_H_
#define PROF_LIB_REPORT_TEXT_HEADER_SECTION_H_

#include <iosfwd>

#include "lib/report/text/text.h"
#include "prof/report.h"

namespace prof::report {

void WriteHeader(std::ostream& out, const Report& report, const TextOptions& options);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_HEADER_SECTION_H_
