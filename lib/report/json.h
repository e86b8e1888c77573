// SPDX-License-Identifier: Apache-2.0
//
// The report as JSON, for programs, is public: WriteJson().
#ifndef PROF_LIB_REPORT_JSON_H_
#define PROF_LIB_REPORT_JSON_H_

#include "prof/write.h"

#endif  // PROF_LIB_REPORT_JSON_H_
