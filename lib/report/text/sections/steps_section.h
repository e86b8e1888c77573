// SPDX-License-Identifier: Apache-2.0
//
// The steps of a run as text: how long they took, what they consist of, and what would make them
// shorter.
#ifndef PROF_LIB_REPORT_TEXT_SECTIONS_STEPS_SECTION_H_
#define PROF_LIB_REPORT_TEXT_SECTIONS_STEPS_SECTION_H_

#include <iosfwd>

#include "lib/report/text/text.h"
#include "prof/report.h"

namespace prof::report {

// `report` has steps: StepsReport::wanted, and nothing is missing.
void WriteSteps(std::ostream& out, const Report& report, const TextOptions& options);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_SECTIONS_STEPS_SECTION_H_
