// SPDX-License-Identifier: Apache-2.0
//
// Counted regions: CUDA graphs and NVTX ranges whose counters were read for all their work
// together.
#ifndef PROF_LIB_REPORT_TEXT_SECTIONS_REGIONS_SECTION_H_
#define PROF_LIB_REPORT_TEXT_SECTIONS_REGIONS_SECTION_H_

#include <iosfwd>

#include "lib/report/text/text.h"
#include "prof/report.h"

namespace prof::report {

void WriteRegions(std::ostream& out, const Report& report, const TextOptions& options);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_SECTIONS_REGIONS_SECTION_H_
