// SPDX-License-Identifier: Apache-2.0
//
// The stage "timeline": the time of each device is busy, idle with a cause, or disturbed by prof.
#ifndef PROF_LIB_ANALYZER_TIMELINE_TIMELINE_H_
#define PROF_LIB_ANALYZER_TIMELINE_TIMELINE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/analyzer/base/intervals.h"
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
  int64_t disturbed_ns = 0;               // the part of it that is prof's: disturbance.h
  int64_t host_ns = 0;                    // of the program's part: the launcher in no CUDA call
  // Of the program's part: what a thread that had not waited before would have closed, at most. All
  // of it where the cause is a wait.
  int64_t after_wait_ns = 0;
  int32_t wait = model::kNoIndex;  // the call that waited, where after_wait_ns is not 0
  // Of the program's part: the most that a thread without any of its waits would have closed, and
  // one without those of its calls that allocate or free memory. It is no estimate: all waits
  // before add up.
  int64_t without_waits_ns = 0, without_allocations_ns = 0;

  // The program's part: what counts for causes, shares and findings.
  int64_t undisturbed_ns() const { return end_ns - start_ns - disturbed_ns; }
};

struct DeviceTimeline {
  uint32_t device = 0;
  int64_t start_ns = 0, end_ns = 0;  // first operation's start, last one's end
  int64_t busy_ns = 0;               // union of all operations, without what is set aside
  int64_t profiler_ns = 0;           // disturbed: the gaps' disturbed time, and busy set aside
  int64_t paused_ns = 0;             // of that, gaps in which the recording was paused
  std::vector<Gap> gaps;             // sorted by start
  IntervalUnion set_aside;           // work that is no evidence, with the gaps in it

  // busy + profiler + the gaps' undisturbed time == end - start, exactly.
  int64_t undisturbed_ns() const { return end_ns - start_ns - profiler_ns; }
  // False for an operation that is set aside.
  bool IsEvidence(const model::Op& op) const { return !set_aside.Contains(op.start_ns); }
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
