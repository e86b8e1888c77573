// SPDX-License-Identifier: Apache-2.0
//
// The status of ranges shows whether the program's NVTX calls reach us. nvtx_bridge knows; this
// half only asks.
#ifndef PROF_LIB_CAPTURE_THREADS_RANGE_STATUS_H_
#define PROF_LIB_CAPTURE_THREADS_RANGE_STATUS_H_

#include "prof/session.h"

namespace prof::capture {

// `other_tool` returns the library of another tool that NVTX calls go to, or null. Set once, before
// main(); callable from any thread.
void SetOtherNvtxToolQuery(const char* (*other_tool)());

// `unnamed` returns whether the program's NVTX was not pointed to us, because the library came when
// other threads could be reading the environment. As above.
void SetNvtxUnnamedQuery(bool (*unnamed)());

// Whether ranges reach us. `wanted`: whether they were asked for.
[[nodiscard]] SubsystemStatus RangesStatus(bool wanted);

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_RANGE_STATUS_H_
