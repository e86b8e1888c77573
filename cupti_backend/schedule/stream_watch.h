// SPDX-License-Identifier: Apache-2.0
//
// The stream watch knows which streams of a context launch work, and whether all of it is done. A
// counter range holds up the GPU's other work, and with SM counters its push waits on the host
// until the GPU is idle. That must not happen while a kernel waits for the host.
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
  // `stream` is about to be destroyed: it must not be queried any more.
  void Destroyed(CUstream stream);

  // More than one stream launched something.
  bool several() const { return several_.load(std::memory_order_relaxed); }

  // True as soon as all streams have done their work. False when one has not within `patience_ns`,
  // or captures a graph, or when there are too many streams to watch. Polls: 0.2 us a stream on an
  // H200.
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
