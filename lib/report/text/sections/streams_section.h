// SPDX-License-Identifier: Apache-2.0
//
// Streams of different priority; nothing where all have the same one.
#ifndef PROF_LIB_REPORT_TEXT_SECTIONS_STREAMS_SECTION_H_
#define PROF_LIB_REPORT_TEXT_SECTIONS_STREAMS_SECTION_H_

#include <iosfwd>

#include "lib/report/text/text.h"
#include "prof/report.h"

namespace prof::report {

void WriteStreams(std::ostream& out, const Report& report, const TextOptions& options);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_SECTIONS_STREAMS_SECTION_H_
