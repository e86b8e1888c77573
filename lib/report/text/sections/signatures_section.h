// SPDX-License-Identifier: Apache-2.0
//
// Signatures with their numbers, verdict and evidence: the details behind the kernels' lines.
#ifndef PROF_LIB_REPORT_TEXT_SECTIONS_SIGNATURES_SECTION_H_
#define PROF_LIB_REPORT_TEXT_SECTIONS_SIGNATURES_SECTION_H_

#include <iosfwd>

#include "lib/report/text/text.h"

namespace prof::report {

void WriteSignatures(std::ostream& out, const Report& report, const TextOptions& options);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_SECTIONS_SIGNATURES_SECTION_H_
