// SPDX-License-Identifier: Apache-2.0
//
// PM samples as text: short names of their metrics.
#ifndef PROF_LIB_REPORT_TEXT_CONTINUOUS_TEXT_H_
#define PROF_LIB_REPORT_TEXT_CONTINUOUS_TEXT_H_

#include <string>

namespace prof::report {

// "FBSP.TriageCompute.dramc__throughput.avg.pct_of_peak_sustained_elapsed" is "dramc__throughput".
[[nodiscard]] std::string MetricLabel(const std::string& metric);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_CONTINUOUS_TEXT_H_
