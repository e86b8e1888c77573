// SPDX-License-Identifier: Apache-2.0
//
// Headings of the sections, colors, and names that fit into a column.
#ifndef PROF_LIB_REPORT_TEXT_HEADING_H_
#define PROF_LIB_REPORT_TEXT_HEADING_H_

#include <iosfwd>
#include <string>
#include <string_view>

#include "lib/report/text/text.h"

namespace prof::report {

void WriteHeading(std::ostream& out, std::string_view heading, const TextOptions& options);

// `text` in bold, or with the ANSI attributes `attributes` ("1;31"); unchanged without color.
[[nodiscard]] std::string Bold(std::string_view text, const TextOptions& options);
[[nodiscard]] std::string Colored(std::string_view text, std::string_view attributes,
                                  const TextOptions& options);

// The name of a kernel or range in at most `width` columns.
[[nodiscard]] std::string ShortName(std::string_view name, int width, const TextOptions& options);
// `text` on one line of at most `width` columns: what is too long loses its end.
[[nodiscard]] std::string OneLine(std::string_view text, int width, const TextOptions& options);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_HEADING_H_
