// SPDX-License-Identifier: Apache-2.0
//
// The sections of the text report, in the order in which they are printed. Each prints nothing when
// it has nothing to say, unless the absence itself is worth a line.
#ifndef PROF_LIB_REPORT_TEXT_SECTIONS_H_
#define PROF_LIB_REPORT_TEXT_SECTIONS_H_

#include <iosfwd>
#include <string>
#include <string_view>

#include "lib/report/text/text.h"
#include "prof/report.h"

namespace prof::report {

void WriteHeader(std::ostream& out, const Report& report, const TextOptions& options);
void WriteRanges(std::ostream& out, const Report& report, const TextOptions& options);
void WriteKernels(std::ostream& out, const Report& report, const TextOptions& options);
void WriteRegions(std::ostream& out, const Report& report, const TextOptions& options);
void WriteContinuous(std::ostream& out, const Report& report, const TextOptions& options);
void WriteGaps(std::ostream& out, const Report& report, const TextOptions& options);
void WriteCopies(std::ostream& out, const Report& report, const TextOptions& options);
void WriteMemory(std::ostream& out, const Report& report, const TextOptions& options);
void WriteStreams(std::ostream& out, const Report& report, const TextOptions& options);
void WriteNvtx(std::ostream& out, const Report& report, const TextOptions& options);
void WriteFindings(std::ostream& out, const Report& report, const TextOptions& options);
void WriteBlindSpots(std::ostream& out, const Report& report, const TextOptions& options);

void WriteHeading(std::ostream& out, std::string_view heading, const TextOptions& options);

// A kernel's or range's name in at most `width` columns.
std::string ShortName(std::string_view name, int width, const TextOptions& options);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_SECTIONS_H_
