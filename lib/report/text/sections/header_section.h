// SPDX-License-Identifier: Apache-2.0
//
// What ran, for how long, and what the measurement cost.
#ifndef PROF_LIB_REPORT_TEXT_SECTIONS_HEADER_SECTION_H_
#define PROF_LIB_REPORT_TEXT_SECTIONS_HEADER_SECTION_H_

#include <iosfwd>

#include "lib/report/text/text.h"

namespace prof::report {

void WriteHeader(std::ostream& out, const Report& report, const TextOptions& options);

// What the counters cost, and what has no verdict.
void WriteMeasurement(std::ostream& out, const Report& report, const TextOptions& options);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_SECTIONS_HEADER_SECTION_H_
