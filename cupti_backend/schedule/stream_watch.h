// SPDX-License-Identifier: Apache-2.0
//
// The stream watch knows which streams of a context got work, whether they have done it, and
// whether some of it may wait for the host. A counter range holds up the GPU's other work, and with
// SM counters its push waits on the host until the GPU is idle. That must not happen while a kernel
// waits for the host.
#ifndef PROF_CUPTI_BACKEND_SCHEDULE_STREAM_WATCH_H_
#define PROF_CUPTI_BACKEND_SCHEDULE_STREAM_WATCH_H_

#include <array>
#include <atomic>
#include <cstdint>

#include "cupti_backend/api/driver_api.h"

namespace prof::cupti {

// The program's threads, any number at a time; no lock, no allocation.
class StreamWatch {
 public:
  static constexpr size_t kMaxStreams = 64;

  // Work goes to `stream`: a launch, a copy, a memory operation. CU_STREAM_PER_THREAD: to the
  // calling thread's own stream. One load when the stream is the one of the work before.
  void Seen(CUstream stream);
  // `stream` is about to be destroyed: it must not be queried any more. Waits for threads that
  // query a stream, 0.1 s at most.
  void Destroyed(CUstream stream);

  // More than one stream got work, or the work of another context may be waited for.
  void SetSeveral();
  bool several() const { return several_.load(std::memory_order_relaxed); }

  // The work with this correlation id may wait for the host, as far as is known.
  void Doubt(uint32_t correlation);
  // Work that may wait for the host may still run. `ended`: a correlation id; within one stream all
  // work before it has ended.
  bool Doubtful(uint32_t ended) const;

  // Whose work is asked for.
  enum class Scope { kAll, kOtherStreams };
  // True when the streams have done their work, at this moment: nothing is waited for. False when
  // one of them captures a graph or belongs to another thread, or when there are too many to watch.
  // Ends the doubt when all are idle. 0.2 us a stream on an H200.
  bool Idle(const DriverApi& driver, Scope scope = Scope::kAll, CUstream own = nullptr);

 private:
  // A stream's handle + 1, because the legacy default stream is nullptr; 0: free.
  using Slot = std::atomic<uintptr_t>;

  bool Place(uintptr_t key);  // in a slot; false: all are taken
  bool Captures(const DriverApi& driver) const;
  bool Done(const DriverApi& driver, uintptr_t but) const;
  bool AskAll(const DriverApi& driver, uintptr_t but) const;

  std::array<Slot, kMaxStreams> slots_{};
  std::atomic<uintptr_t> last_{0};
  std::atomic<bool> several_{false};
  std::atomic<bool> too_many_{false};
  std::atomic<uint32_t> thread_{0};  // whose per-thread stream is in a slot
  std::atomic<uint32_t> readers_{0};
  std::atomic<uint32_t> doubted_{0};  // the last such work; 0: none
  std::atomic<uint32_t> cleared_{0};  // of doubted_: it has ended
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SCHEDULE_STREAM_WATCH_H_
