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

// The stacks with each text once. `frames` has 4 numbers for each frame: function and file (places
// in `strings`), line, 1 where it is the program's own. `nodes` has 6 for each node: parent, frame,
// gpu_ns, idle_ns, host_ns, operations. `kernels` has a list for each node.
[[nodiscard]] std::string StacksJson(const Stacks& stacks);

// Without spaces between values, and with each "<" in a string escaped.
[[nodiscard]] std::string ForPage(std::string_view json);

}  // namespace prof::html

#endif  // PROF_LIB_HTML_PAGE_JSON_H_
