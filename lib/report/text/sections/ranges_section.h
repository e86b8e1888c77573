// SPDX-License-Identifier: Apache-2.0
//
// The first table: where the time went, the limit of each part, the action, and the most that it
// gains. Its rows sum to the span, to the last printed digit.
#ifndef PROF_LIB_REPORT_TEXT_SECTIONS_RANGES_SECTION_H_
#define PROF_LIB_REPORT_TEXT_SECTIONS_RANGES_SECTION_H_

#include <iosfwd>

#include "lib/report/text/text.h"
#include "prof/report.h"

namespace prof::report {

void WriteRanges(std::ostream& out, const Report& report, const TextOptions& options);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_SECTIONS_RANGES_SECTION_H_
