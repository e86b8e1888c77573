// SPDX-License-Identifier: Apache-2.0
//
// The lines detail lists the GPU's time by lines of source.
#ifndef PROF_LIB_REPORT_TEXT_DETAILS_LINES_DETAIL_H_
#define PROF_LIB_REPORT_TEXT_DETAILS_LINES_DETAIL_H_

#include <iosfwd>

#include "lib/report/text/text.h"

namespace prof {

// By the program's own lines, then by the innermost ones. False, and nothing is written: no call
// has a stack.
[[nodiscard]] bool WriteLinesDetail(std::ostream& out, const Report& report,
                                    const TextOptions& options);

}  // namespace prof

#endif  // PROF_LIB_REPORT_TEXT_DETAILS_LINES_DETAIL_H_
