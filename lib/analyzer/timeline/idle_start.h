// SPDX-License-Identifier: Apache-2.0
//
// The start of a program: long gaps in which the host works or loads code, and hardly any later.
#ifndef PROF_LIB_ANALYZER_TIMELINE_IDLE_START_H_
#define PROF_LIB_ANALYZER_TIMELINE_IDLE_START_H_

#include <cstdint>

#include "lib/analyzer/timeline/timeline.h"

namespace prof::analyzer {

struct IdleStart {
  double total_ns = 0;  // of its long gaps by host work
  int64_t count = 0;    // of them; 0: there is no such start
  int64_t end_ns = 0;   // of the last of them; 0: there is no such start
};

// Linear in the gaps.
[[nodiscard]] IdleStart FindIdleStart(const DeviceTimeline& device);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_IDLE_START_H_
