// SPDX-License-Identifier: Apache-2.0
//
// The work watch measures the GPU time of each signature, from the records of some of its launches.
// Where the budget does not last for all signatures, those with most time come first.
#ifndef PROF_CUPTI_BACKEND_SCHEDULE_WORK_WATCH_H_
#define PROF_CUPTI_BACKEND_SCHEDULE_WORK_WATCH_H_

#include <array>
#include <atomic>
#include <cstdint>

#include "cupti_backend/schedule/sample_schedule.h"

namespace prof::cupti {

class WorkWatch {
 public:
  // Two runs of a kernel are alike when the longer one took at most this many times the shorter
  // one, or no more than kShortNs: a kernel that waits for the host takes as long as the host does.
  static constexpr int64_t kAlike = 3, kShortNs = 20'000;

  // Launching threads: the records of this launch, at `now_ns` in the clock of records, count for
  // `entry`. No lock, no allocation. It may replace an earlier request.
  void Request(uint32_t context, uint32_t correlation, SampleSchedule::Entry* entry,
               int64_t now_ns);

  // The collector thread: a decoded record of GPU work. The nodes of a graph launch come one by
  // one.
  void Add(uint32_t context, uint32_t correlation, int64_t start_ns, int64_t end_ns);

 private:
  static constexpr size_t kSlots = 4096;

  // The key is written last, and to 0 first.
  struct Slot {
    std::atomic<uint64_t> launch{0};
    std::atomic<SampleSchedule::Entry*> entry{nullptr};
    std::atomic<int64_t> at_ns{0};
  };

  Slot& SlotOf(uint64_t launch) { return slots_[(launch * 0x9E3779B97F4A7C15U) >> 52]; }

  std::array<Slot, kSlots> slots_;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SCHEDULE_WORK_WATCH_H_
