// SPDX-License-Identifier: Apache-2.0
//
// Which streams of a context launch work, and whether all of it is done. A counter range holds the
// GPU's other work up, and with SM counters its push waits on the host until the GPU is idle: that
// must not happen while a kernel runs that waits for something the host has yet to do.
#ifndef PROF_CUPTI_BACKEND_SCHEDULE_STREAM_WATCH_H_
#define PROF_CUPTI_BACKEND_SCHEDULE_STREAM_WATCH_H_

#include <array>
#include <atomic>
#include <cstdint>

#include "cupti_backend/api/driver_api.h"

namespace prof::cupti {

// Launching threads, any number at a time; no lock, no allocation.
class StreamWatch {
 public:
  static constexpr size_t kMaxStreams = 64;

  // A launch goes to `stream`. One load when the stream is the one of the launch before.
  void Seen(CUstream stream);
  // `stream` is about to be destroyed: it must not be asked any more.
  void Destroyed(CUstream stream);

  // More than one stream launched something.
  bool several() const { return several_.load(std::memory_order_relaxed); }

  // True as soon as all streams are done with what they were given, false when one is not within
  // `patience_ns`, captures a graph, or there are more streams than can be watched. Polls: 0.2 us a
  // stream on an H200.
  bool IdleWithin(const DriverApi& driver, int64_t patience_ns) const;

 private:
  // A stream's handle + 1, because the legacy default stream is nullptr; 0: free.
  using Slot = std::atomic<uintptr_t>;

  bool Idle(const DriverApi& driver, bool* hopeless) const;

  std::array<Slot, kMaxStreams> slots_{};
  std::atomic<uintptr_t> last_{0};
  std::atomic<bool> several_{false};
  std::atomic<bool> too_many_{false};
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SCHEDULE_STREAM_WATCH_H_
