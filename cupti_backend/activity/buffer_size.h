// SPDX-License-Identifier: Apache-2.0
//
// The buffer size follows the program: CUPTI hands a buffer over when it is full, so a program that
// launches seldom gets small ones. Triage waits for the records of what it has sampled.
#ifndef PROF_CUPTI_BACKEND_ACTIVITY_BUFFER_SIZE_H_
#define PROF_CUPTI_BACKEND_ACTIVITY_BUFFER_SIZE_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lib/capture/collector/buffer_pool.h"

namespace prof::cupti {

// Any thread; no lock. Two threads that ask at once may both count, or neither: it is a guess.
class BufferSize {
 public:
  // 16 KiB hold some 80 launches.
  static constexpr size_t kLeast = 16 << 10, kMost = capture::BufferPool::kBufferBytes;
  // Buffers that are asked for faster than this are too small, and slower than that too large.
  static constexpr int64_t kFastNs = 50'000'000, kSlowNs = 400'000'000;

  // The size of a buffer that is asked for at `now_ns`.
  size_t Next(int64_t now_ns) {
    const int64_t passed_ns = now_ns - last_ns_.exchange(now_ns, std::memory_order_relaxed);
    size_t bytes = bytes_.load(std::memory_order_relaxed);
    if (passed_ns < kFastNs) bytes = std::min(4 * bytes, kMost);
    if (passed_ns > kSlowNs) bytes = std::max(bytes / 2, kLeast);
    bytes_.store(bytes, std::memory_order_relaxed);
    return bytes;
  }

 private:
  std::atomic<int64_t> last_ns_{0};
  std::atomic<size_t> bytes_{kLeast};
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_ACTIVITY_BUFFER_SIZE_H_
