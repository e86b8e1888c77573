// SPDX-License-Identifier: Apache-2.0
//
// The SM clock as text, for the text report.
#ifndef PROF_LIB_REPORT_BASE_CLOCK_TEXT_H_
#define PROF_LIB_REPORT_BASE_CLOCK_TEXT_H_

#include <string>

#include "prof/report.h"

namespace prof::report {

// "SM clock 1.56 GHz when counted, 1.33 GHz in the run"; empty: neither is known.
[[nodiscard]] std::string ClockText(const DeviceReport& device);
// "power 612 W of 700 W, 64 C at most, clock held down by the power limit in 92 % of the readings";
// empty: none was recorded.
[[nodiscard]] std::string StateText(const GpuStateReport& state);
// The same of a kernel, with the number of launches, the bound, or why the second is not known;
// empty: no clock was read.
[[nodiscard]] std::string ClockText(const KernelReport& kernel);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_BASE_CLOCK_TEXT_H_
