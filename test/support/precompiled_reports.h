// SPDX-License-Identifier: Apache-2.0
//
// As precompiled.h, for tests of what reads a recording: its model and its report are large.
#ifndef PROF_TEST_SUPPORT_PRECOMPILED_REPORTS_H_
#define PROF_TEST_SUPPORT_PRECOMPILED_REPORTS_H_

#include "lib/snapshot/model/model.h"
#include "prof/analyzer.h"
#include "test/support/precompiled.h"

#endif  // PROF_TEST_SUPPORT_PRECOMPILED_REPORTS_H_
