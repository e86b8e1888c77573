// SPDX-License-Identifier: Apache-2.0
//
// The launch gate counts the launches that are under way, and holds up those of one context while
// CUPTI's profiler works on it.
//
// CUPTI waits for the context's work then, and holds its launches up meanwhile: a kernel that waits
// for a later launch would never end. So where a context has several streams, its launches are kept
// out first, and what is under way has to be in the driver's queue. Around a launch that is sampled
// they are kept out in any case: else its sample had work of other threads.
#ifndef PROF_CUPTI_BACKEND_SAMPLING_LAUNCH_GATE_H_
#define PROF_CUPTI_BACKEND_SAMPLING_LAUNCH_GATE_H_

#include <atomic>
#include <cstdint>

#include "lib/capture/process/striped_count.h"

namespace prof::cupti {

class LaunchGate {
 public:
  // A launch waits this long at most: the first start of a context takes up to 1.5 s.
  static constexpr int64_t kLongestWaitNs = 3'000'000'000;

  LaunchGate();

  // --- Launching threads, around each launch ---

  // Counts the launch, once it may go on: one addition and one load while the gate is open for
  // `context`. True: it has waited.
  bool Enter(const void* context);
  void Exit();

  // It is closed for `context`: the profiler works on it.
  [[nodiscard]] bool ClosedFor(const void* context) const {
    return closed_for_.load(std::memory_order_acquire) == context;
  }

  // Launches of other threads are between Enter and Exit. A launch that enters now is counted, or
  // sees what the caller has set before (sequentially consistent).
  [[nodiscard]] bool OthersUnderWay() const;

  // --- The holder of the hardware lease ---

  // Closes the gate for `context`, which is compared, never read. False: launches of other threads
  // are still under way after `patience_ns`, and the gate is open. `hold_ns`: how long a launch
  // waits at it.
  [[nodiscard]] bool CloseFor(const void* context, int64_t patience_ns,
                              int64_t hold_ns = kLongestWaitNs);
  void Open() { closed_for_.store(nullptr, std::memory_order_release); }

 private:
  void Count();
  void Wait(const void* context);

  const uint32_t epoch_;  // separates the launches of this recording from those of the one before
  capture::StripedCount under_way_;
  std::atomic<const void*> closed_for_{nullptr};
  std::atomic<int64_t> hold_ns_{kLongestWaitNs};
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SAMPLING_LAUNCH_GATE_H_
