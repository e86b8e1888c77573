// SPDX-License-Identifier: Apache-2.0
//
// The speed of light over time: one line for each metric of each device that was PM sampled.
#ifndef PROF_LIB_REPORT_TEXT_SECTIONS_CONTINUOUS_SECTION_H_
#define PROF_LIB_REPORT_TEXT_SECTIONS_CONTINUOUS_SECTION_H_

#include <iosfwd>

#include "lib/report/text/text.h"
#include "prof/report.h"

namespace prof::report {

void WriteContinuous(std::ostream& out, const Report& report, const TextOptions& options);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_SECTIONS_CONTINUOUS_SECTION_H_
