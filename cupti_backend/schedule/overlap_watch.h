// SPDX-License-Identifier: Apache-2.0
//
// The overlap watch finds the kernels that end by themselves: a kernel that ended before later work
// started, on any device, does not wait for such work. Where a program has several streams or
// contexts, only those are put under a counter range, because the range keeps later work from
// starting. Later work of the same stream does not count: with programmatic dependent launch a
// kernel begins before the one ahead of it has ended, which never waits for it.
#ifndef PROF_CUPTI_BACKEND_SCHEDULE_OVERLAP_WATCH_H_
#define PROF_CUPTI_BACKEND_SCHEDULE_OVERLAP_WATCH_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "cupti_backend/schedule/sample_schedule.h"

namespace prof::cupti {

class OverlapWatch {
 public:
  // A kernel is given up after this many runs in which later work started before its end on its
  // device. (Two GPUs at work are beside each other most of the time: that is no reason.)
  static constexpr uint8_t kMaxOverlapped = 16;

  // Launching threads: requests an answer from the record of this launch. No lock, no allocation.
  // False when there are too many requests already.
  bool Request(uint32_t context, uint32_t correlation, SampleSchedule::Entry* entry);

  // --- The collector thread ---

  // A decoded record of GPU work; cheap while there is no request.
  void Add(uint32_t device, uint32_t context, uint32_t stream, uint32_t correlation,
           int64_t start_ns, int64_t end_ns);
  // Answers the requests whose record came some time ago, so that the records of work beside it
  // have come too. Sets Entry::alone. Returns entries that overlapped too often.
  std::vector<SampleSchedule::Entry*> Resolve(int64_t now_ns);

 private:
  static constexpr size_t kMaxRequested = 64;
  static constexpr size_t kMaxRuns = 1024;              // records are out of order by less
  static constexpr int64_t kSettleNs = 500'000'000;     // more than two flushes
  static constexpr int64_t kForgetNs = 10'000'000'000;  // a record that never comes

  struct Run {
    uint32_t device = 0, context = 0, stream = 0, correlation = 0;
    int64_t start_ns = 0, end_ns = 0;
    // `other` was launched later to another stream, and started before this one ended, on this
    // device or another.
    bool OverlappedBy(const Run& other) const {
      return other.correlation > correlation && other.start_ns < end_ns &&
             other.end_ns > start_ns && (other.stream != stream || other.context != context);
    }
  };
  struct Question {
    void Compare(const Run& other) {
      const bool overlaps = run.OverlappedBy(other);
      overlapped |= overlaps;
      here |= overlaps && other.device == run.device;
    }

    std::atomic<uint64_t> launch{0};  // context and correlation; 0: free; 1: being filled in
    SampleSchedule::Entry* entry = nullptr;
    // The collector:
    int64_t since_ns = 0;
    bool recorded = false, overlapped = false;
    bool here = false;  // on its own device
    Run run;
  };

  std::array<Question, kMaxRequested> questions_;
  std::atomic<uint32_t> requested_{0};
  std::vector<Run> runs_;  // the latest ones, while there is a request
  size_t next_run_ = 0;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SCHEDULE_OVERLAP_WATCH_H_
