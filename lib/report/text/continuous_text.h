// SPDX-License-Identifier: Apache-2.0
//
// PM samples as text: short names of their metrics, values with their error bounds.
#ifndef PROF_LIB_REPORT_TEXT_CONTINUOUS_TEXT_H_
#define PROF_LIB_REPORT_TEXT_CONTINUOUS_TEXT_H_

#include <string>

#include "prof/continuous_report.h"

namespace prof::report {

// "FBSP.TriageCompute.dramc__throughput.avg.pct_of_peak_sustained_elapsed" is "dramc__throughput".
[[nodiscard]] std::string MetricLabel(const std::string& metric);

// "while it ran, by PM samples: dramc__throughput 83.1 +-1.2 %, ..."; "" without values.
[[nodiscard]] std::string ContinuousText(const ContinuousValues& values);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_CONTINUOUS_TEXT_H_
