// SPDX-License-Identifier: Apache-2.0
//
// Who gets the program's NVTX calls. nvtx_bridge knows; this half only asks.
#ifndef PROF_LIB_CAPTURE_THREADS_RANGE_OWNER_H_
#define PROF_LIB_CAPTURE_THREADS_RANGE_OWNER_H_

#include "prof/session.h"

namespace prof::capture {

// `other_tool` returns the library of another tool that NVTX calls go to, or null. Set once, before
// main(); callable from any thread.
void SetRangeOwnerQuery(const char* (*other_tool)());

// Whether ranges reach us.
SubsystemStatus RangesStatus(bool wanted);

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_RANGE_OWNER_H_
