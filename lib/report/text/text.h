// SPDX-License-Identifier: Apache-2.0
//
// The report as text, for people, is public: WriteText() and its options.
#ifndef PROF_LIB_REPORT_TEXT_TEXT_H_
#define PROF_LIB_REPORT_TEXT_TEXT_H_

#include "prof/write.h"

#endif  // PROF_LIB_REPORT_TEXT_TEXT_H_
