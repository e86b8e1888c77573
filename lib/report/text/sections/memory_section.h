// SPDX-License-Identifier: Apache-2.0
//
// Memory: allocations while they were recorded, pools, and migrations by the driver.
#ifndef PROF_LIB_REPORT_TEXT_SECTIONS_MEMORY_SECTION_H_
#define PROF_LIB_REPORT_TEXT_SECTIONS_MEMORY_SECTION_H_

#include <iosfwd>

#include "lib/report/text/text.h"
#include "prof/report.h"

namespace prof::report {

void WriteMemory(std::ostream& out, const Report& report, const TextOptions& options);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_SECTIONS_MEMORY_SECTION_H_
