// SPDX-License-Identifier: Apache-2.0
//
// What kernels took in the whole run, where they were traced a part of the time.
#ifndef PROF_LIB_REPORT_TEXT_SECTIONS_WHOLE_RUN_SECTION_H_
#define PROF_LIB_REPORT_TEXT_SECTIONS_WHOLE_RUN_SECTION_H_

#include <iosfwd>

#include "lib/report/text/text.h"
#include "prof/report.h"

namespace prof::report {

void WriteWholeRun(std::ostream& out, const Report& report, const TextOptions& options);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_SECTIONS_WHOLE_RUN_SECTION_H_
