// SPDX-License-Identifier: Apache-2.0
//
// What a report has of the run as JSON: devices, rows, ranges, idle time, findings, actions.
#ifndef PROF_LIB_REPORT_JSON_RUN_H_
#define PROF_LIB_REPORT_JSON_RUN_H_

#include "lib/report/json/values.h"
#include "prof/report.h"

namespace prof {

[[nodiscard]] Json ToJson(const RunClock& value);
[[nodiscard]] Json ToJson(const ContinuousReport& value);
[[nodiscard]] Json ToJson(const RangeRow& value);
[[nodiscard]] Json ToJson(const GapSummary& value);
[[nodiscard]] Json ToJson(const IdleStretch& value);
[[nodiscard]] Json ToJson(const Finding& value);
[[nodiscard]] Json ToJson(const RankedAction& value);
[[nodiscard]] Json ToJson(const RangeMember& value);
[[nodiscard]] Json ToJson(const RangeNode& value);
[[nodiscard]] Json ToJson(const ApiSummary& value);
[[nodiscard]] Json ToJson(const CopySummary& value);
[[nodiscard]] Json ToJson(const StreamReport& value);
[[nodiscard]] Json ToJson(const ClockHold& value);
[[nodiscard]] Json ToJson(const GpuStateReport& value);
[[nodiscard]] Json ToJson(const DeviceReport& value);
[[nodiscard]] Json ToJson(const NoticeReport& value);
[[nodiscard]] Json ToJson(const EstimatedTime& value);
[[nodiscard]] Json ToJson(const WholeRunKernel& value);
[[nodiscard]] Json ToJson(const WholeRun& value);

}  // namespace prof

#endif  // PROF_LIB_REPORT_JSON_RUN_H_
