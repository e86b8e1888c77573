// SPDX-License-Identifier: Apache-2.0
//
// The calls of the CUDA API, one line a function.
#ifndef PROF_LIB_REPORT_TEXT_SECTIONS_CALLS_SECTION_H_
#define PROF_LIB_REPORT_TEXT_SECTIONS_CALLS_SECTION_H_

#include <iosfwd>

#include "lib/report/text/text.h"

namespace prof::report {

void WriteCalls(std::ostream& out, const Report& report, const TextOptions& options);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_SECTIONS_CALLS_SECTION_H_
