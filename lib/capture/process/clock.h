// SPDX-License-Identifier: Apache-2.0
//
// A capture reads two clocks: CLOCK_REALTIME is CUPTI's time base, CLOCK_MONOTONIC shows its steps.
#ifndef PROF_LIB_CAPTURE_PROCESS_CLOCK_H_
#define PROF_LIB_CAPTURE_PROCESS_CLOCK_H_

#include <time.h>

#include <cstdint>

namespace prof::capture {

[[nodiscard]] inline int64_t ReadClock(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

[[nodiscard]] inline int64_t RealtimeNs() { return ReadClock(CLOCK_REALTIME); }
[[nodiscard]] inline int64_t MonotonicNs() { return ReadClock(CLOCK_MONOTONIC); }
// The CPU time of the calling thread.
[[nodiscard]] inline int64_t ThreadCpuNs() { return ReadClock(CLOCK_THREAD_CPUTIME_ID); }

struct ClockPair {
  int64_t realtime_ns = 0;
  int64_t monotonic_ns = 0;
  int64_t uncertainty_ns = 0;  // the two were read within this time
};

[[nodiscard]] inline ClockPair ReadClockPair() {
  const int64_t before = MonotonicNs();
  const int64_t realtime = RealtimeNs();
  const int64_t after = MonotonicNs();
  return {realtime, before + (after - before) / 2, after - before};
}

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_PROCESS_CLOCK_H_
