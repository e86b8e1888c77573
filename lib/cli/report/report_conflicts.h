// SPDX-License-Identifier: Apache-2.0
//
// ReportConflict() finds options of `prof report` that would have no effect beside others.
#ifndef PROF_LIB_CLI_REPORT_REPORT_CONFLICTS_H_
#define PROF_LIB_CLI_REPORT_REPORT_CONFLICTS_H_

#include <string>
#include <vector>

namespace prof::cli {

// Why the options `given` ("--html", "--top") do not go together, and which to leave out; empty:
// they do. How the text looks (--width, --color, --no-pager) is no conflict: an alias may set it.
[[nodiscard]] std::string ReportConflict(const std::vector<std::string>& given);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_REPORT_REPORT_CONFLICTS_H_
