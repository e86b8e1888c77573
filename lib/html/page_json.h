// SPDX-License-Identifier: Apache-2.0
//
// JSON inside of a page: no text in it can end the element that it stands in.
#ifndef PROF_LIB_HTML_PAGE_JSON_H_
#define PROF_LIB_HTML_PAGE_JSON_H_

#include <string>
#include <string_view>

#include "lib/html/timeline_data.h"
#include "prof/report.h"

namespace prof::html {

// The report as `prof report --json` writes it, without spaces.
[[nodiscard]] std::string ReportJson(const Report& report);

// The tables of the timeline, and what its blocks are. The blocks' bytes are not in it.
[[nodiscard]] std::string TimelineJson(const TimelineData& data);

// Without spaces between values, and with each "<" in a string escaped.
[[nodiscard]] std::string ForPage(std::string_view json);

}  // namespace prof::html

#endif  // PROF_LIB_HTML_PAGE_JSON_H_
