// SPDX-License-Identifier: Apache-2.0
//
// What the recorder's parts share: whether a recording is going on, and what was lost.
#ifndef PROF_LIB_CAPTURE_THREADS_RANGE_COUNTS_H_
#define PROF_LIB_CAPTURE_THREADS_RANGE_COUNTS_H_

#include <atomic>
#include <cstdint>

namespace prof::capture {

struct RangeCounts {
  alignas(64) std::atomic<bool> recording{false};       // ranges; read by every call of NVTX
  alignas(64) std::atomic<uint64_t> events_dropped{0};  // since the process began, as the next
  std::atomic<uint64_t> calls_dropped{0};
  std::atomic<uint64_t> unbalanced_pops{0};
  std::atomic<uint64_t> left_open{0};
  std::atomic<uint64_t> payloads_not_read{0};
};

extern RangeCounts range_counts;  // in thread_recorder.cc

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_RANGE_COUNTS_H_
