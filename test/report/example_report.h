// SPDX-License-Identifier: Apache-2.0
//
// A report with something in every field, for tests of its printers. The numbers are invented, but
// consistent: rows sum to the span, gaps to the idle time.
#ifndef PROF_TEST_REPORT_EXAMPLE_REPORT_H_
#define PROF_TEST_REPORT_EXAMPLE_REPORT_H_

#include "prof/report.h"

namespace prof::test {

Report ExampleReport();

// A library kernel's name, 300 characters and more.
extern const char* const kAwfulName;

}  // namespace prof::test

#endif  // PROF_TEST_REPORT_EXAMPLE_REPORT_H_
