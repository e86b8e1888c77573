// SPDX-License-Identifier: Apache-2.0
//
// The lines of source of a report as JSON.
#ifndef PROF_LIB_REPORT_JSON_LINES_H_
#define PROF_LIB_REPORT_JSON_LINES_H_

#include "lib/report/json/values.h"
#include "prof/line_report.h"

namespace prof {

[[nodiscard]] Json ToJson(const LineReport& value);
[[nodiscard]] Json ToJson(const SourceLine& value);
[[nodiscard]] Json ToJson(const HostIdleReport& value);
[[nodiscard]] Json ToJson(const LinesReport& value);

}  // namespace prof

#endif  // PROF_LIB_REPORT_JSON_LINES_H_
