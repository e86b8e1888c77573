// SPDX-License-Identifier: Apache-2.0
//
// The kernels with most time: one line of numbers each, then the limit and the action.
#ifndef PROF_LIB_REPORT_TEXT_KERNELS_SECTION_H_
#define PROF_LIB_REPORT_TEXT_KERNELS_SECTION_H_

#include <iosfwd>

#include "lib/report/text/text.h"
#include "prof/report.h"

namespace prof::report {

void WriteKernels(std::ostream& out, const Report& report, const TextOptions& options);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_KERNELS_SECTION_H_
