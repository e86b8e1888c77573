// SPDX-License-Identifier: Apache-2.0
//
// The sections about the run: findings, idle time, copies, and what was not seen.
#ifndef PROF_LIB_REPORT_TEXT_SECTIONS_RUN_SECTION_H_
#define PROF_LIB_REPORT_TEXT_SECTIONS_RUN_SECTION_H_

#include <iosfwd>

#include "lib/report/text/text.h"
#include "prof/report.h"

namespace prof::report {

void WriteFindings(std::ostream& out, const Report& report, const TextOptions& options);
void WriteGaps(std::ostream& out, const Report& report, const TextOptions& options);
void WriteCopies(std::ostream& out, const Report& report, const TextOptions& options);
void WriteBlindSpots(std::ostream& out, const Report& report, const TextOptions& options);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_SECTIONS_RUN_SECTION_H_
