// SPDX-License-Identifier: Apache-2.0
//
// The stage "timeline": the time of each device is busy, idle with a cause, or disturbed by prof.
#ifndef PROF_LIB_ANALYZER_TIMELINE_TIMELINE_H_
#define PROF_LIB_ANALYZER_TIMELINE_TIMELINE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/analyzer/base/intervals.h"
#include "lib/analyzer/timeline/gap_table.h"
#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

struct DeviceTimeline {
  uint32_t device = 0;
  int64_t start_ns = 0, end_ns = 0;  // first operation's start, last one's end
  int64_t busy_ns = 0;               // union of all operations, without what is set aside
  int64_t profiler_ns = 0;           // disturbed: the gaps' disturbed time, and busy set aside
  int64_t paused_ns = 0;             // of that, gaps in which the recording was paused
  GapTable gaps;                     // sorted by start, and so by the operation that ends it
  IntervalUnion set_aside;           // work that is no evidence, with the gaps in it

  // busy + profiler + the gaps' undisturbed time == end - start, exactly.
  int64_t undisturbed_ns() const { return end_ns - start_ns - profiler_ns; }
  // False for an operation that is set aside.
  bool IsEvidence(const model::Op& op) const {
    return set_aside.intervals().empty() || !set_aside.Contains(op.start_ns);
  }
};

struct Timeline {
  std::vector<DeviceTimeline> devices;
  // Parallel to Model::ops: each moment of a device's busy time belongs to the op that had started
  // first among those running (0 for untimed ops and those set aside). Sums to busy_ns per device.
  std::vector<int64_t> exclusive_ns;

  // nullptr when it ran nothing with a time.
  [[nodiscard]] const DeviceTimeline* Find(uint32_t device) const;
};

[[nodiscard]] Timeline BuildTimeline(const model::Model& model);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_TIMELINE_H_
