// SPDX-License-Identifier: Apache-2.0
//
// The program's NVTX data other than its ranges: marks, values, and names of threads and streams.
#ifndef PROF_LIB_REPORT_TEXT_SECTIONS_NVTX_SECTION_H_
#define PROF_LIB_REPORT_TEXT_SECTIONS_NVTX_SECTION_H_

#include <iosfwd>

#include "lib/report/text/text.h"
#include "prof/report.h"

namespace prof::report {

void WriteNvtx(std::ostream& out, const Report& report, const TextOptions& options);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_SECTIONS_NVTX_SECTION_H_
