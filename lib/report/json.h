// SPDX-License-Identifier: Apache-2.0
//
// The report as JSON, for programs: everything in prof::Report, with stable keys
// (docs/guide/read-the-report.md).
#ifndef PROF_LIB_REPORT_JSON_H_
#define PROF_LIB_REPORT_JSON_H_

#include <iosfwd>

#include "prof/report.h"

namespace prof {

// One JSON object and a newline. Numbers that are not measured (NaN, absent) are null. Strings that
// are not UTF-8 have their bad bytes replaced.
void WriteJson(std::ostream& out, const Report& report);

}  // namespace prof

#endif  // PROF_LIB_REPORT_JSON_H_
