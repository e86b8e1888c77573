// SPDX-License-Identifier: Apache-2.0
//
// Kernels, one line each, and why some were not measured.
#ifndef PROF_LIB_REPORT_TEXT_SECTIONS_KERNELS_SECTION_H_
#define PROF_LIB_REPORT_TEXT_SECTIONS_KERNELS_SECTION_H_

#include <iosfwd>

#include "lib/report/text/text.h"

namespace prof::report {

void WriteKernels(std::ostream& out, const Report& report, const TextOptions& options);

// The reasons, by the time of the kernels that have them.
void WriteNotMeasured(std::ostream& out, const Report& report, const TextOptions& options);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_SECTIONS_KERNELS_SECTION_H_
