// SPDX-License-Identifier: Apache-2.0
//
// The kernels as CSV are public: WriteCsv().
#ifndef PROF_LIB_REPORT_CSV_H_
#define PROF_LIB_REPORT_CSV_H_

#include "prof/write.h"

#endif  // PROF_LIB_REPORT_CSV_H_
