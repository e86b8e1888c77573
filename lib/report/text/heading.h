// SPDX-License-Identifier: Apache-2.0
//
// Headings of the sections, and names that fit into a column.
#ifndef PROF_LIB_REPORT_TEXT_HEADING_H_
#define PROF_LIB_REPORT_TEXT_HEADING_H_

#include <iosfwd>
#include <string>
#include <string_view>

#include "lib/report/text/text.h"

namespace prof::report {

void WriteHeading(std::ostream& out, std::string_view heading, const TextOptions& options);

// The name of a kernel or range in at most `width` columns.
[[nodiscard]] std::string ShortName(std::string_view name, int width, const TextOptions& options);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_HEADING_H_
