// SPDX-License-Identifier: Apache-2.0
//
// What to change first: the few actions that free most time.
#ifndef PROF_LIB_REPORT_TEXT_SECTIONS_ACTIONS_SECTION_H_
#define PROF_LIB_REPORT_TEXT_SECTIONS_ACTIONS_SECTION_H_

#include <iosfwd>

#include "lib/report/text/text.h"

namespace prof::report {

// Two lines for each action, so that five of them fit the first screen.
void WriteActions(std::ostream& out, const Report& report, const TextOptions& options);

// One line where something is missing from the recording; the end of the report has it all.
void WriteLosses(std::ostream& out, const Report& report, const TextOptions& options);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_SECTIONS_ACTIONS_SECTION_H_
