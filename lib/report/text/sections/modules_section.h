// SPDX-License-Identifier: Apache-2.0
//
// The modules of PyTorch in the text report: a table of all of them, as a tree.
#ifndef PROF_LIB_REPORT_TEXT_SECTIONS_MODULES_SECTION_H_
#define PROF_LIB_REPORT_TEXT_SECTIONS_MODULES_SECTION_H_

#include <iosfwd>

#include "lib/report/text/text.h"

namespace prof::report {

// The modules with most GPU time, each below the one around it. False: none was recorded.
[[nodiscard]] bool WriteModules(std::ostream& out, const Report& report,
                                const TextOptions& options);

}  // namespace prof::report

#endif  // PROF_LIB_REPORT_TEXT_SECTIONS_MODULES_SECTION_H_
