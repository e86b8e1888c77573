// SPDX-License-Identifier: Apache-2.0
//
// The kernels as CSV, for spreadsheets and data frames.
#ifndef PROF_LIB_REPORT_CSV_H_
#define PROF_LIB_REPORT_CSV_H_

#include <iosfwd>

#include "prof/report.h"

namespace prof {

// One line a signature after a header line (RFC 4180, '.' as decimal point, LF). The fixed columns
// are followed by the median of every metric that any kernel has, by CUPTI name. An empty cell was
// not measured.
void WriteCsv(std::ostream& out, const Report& report);

}  // namespace prof

#endif  // PROF_LIB_REPORT_CSV_H_
