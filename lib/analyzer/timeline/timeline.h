// SPDX-License-Identifier: Apache-2.0
//
// The stage "timeline": the time of each device is busy, idle with a cause, or held up by counter
// sampling.
#ifndef PROF_LIB_ANALYZER_TIMELINE_TIMELINE_H_
#define PROF_LIB_ANALYZER_TIMELINE_TIMELINE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

// A maximal interval in which no operation ran on a device, between its first and its last one.
struct Gap {
  uint32_t device = 0;
  GapCause cause = GapCause::kUnknown;
  int64_t start_ns = 0, end_ns = 0;
  int32_t previous_op = model::kNoIndex;  // the op whose end opens the gap
  int32_t next_op = model::kNoIndex;      // the op whose start closes it
  int32_t api = model::kNoIndex;          // the call that launched next_op, or the sync that waited
  uint32_t path = 0;                      // NVTX path in which the host was during most of the gap
};

struct DeviceTimeline {
  uint32_t device = 0;
  int64_t start_ns = 0, end_ns = 0;  // first operation's start, last one's end
  int64_t busy_ns = 0;               // union of all operations
  int64_t profiler_ns = 0;           // gaps with cause kProfiler
  std::vector<Gap> gaps;             // sorted by start; busy + gaps == end - start, exactly
};

struct Timeline {
  std::vector<DeviceTimeline> devices;
  // Parallel to Model::ops: each moment of a device's busy time belongs to the op that had started
  // first among those running (0 for untimed ops). Sums to busy_ns per device.
  std::vector<int64_t> exclusive_ns;
};

[[nodiscard]] Timeline BuildTimeline(const model::Model& model);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_TIMELINE_H_
