// SPDX-License-Identifier: Apache-2.0
//
// The launch gate holds up the launches of one context while CUPTI changes its pass group.
//
// CUPTI waits for the context's work then, and holds its launches up meanwhile: a kernel that waits
// for a later launch would never end. So work of several streams is kept out.
#ifndef PROF_CUPTI_BACKEND_SAMPLING_LAUNCH_GATE_H_
#define PROF_CUPTI_BACKEND_SAMPLING_LAUNCH_GATE_H_

#include <atomic>
#include <cstdint>

namespace prof::cupti {

class LaunchGate {
 public:
  // A launch waits this long at most: the first start of a context takes up to 1.5 s.
  static constexpr int64_t kLongestWaitNs = 3'000'000'000;

  // The sampler's worker, for one context at a time. `context` is compared, never read.
  void CloseFor(const void* context) { closed_for_.store(context, std::memory_order_release); }
  void Open() { closed_for_.store(nullptr, std::memory_order_release); }

  // Launching threads. One load while the gate is open for `context`.
  void Pass(const void* context) const {
    if (closed_for_.load(std::memory_order_acquire) == context) Wait(context);
  }

 private:
  void Wait(const void* context) const;

  std::atomic<const void*> closed_for_{nullptr};
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SAMPLING_LAUNCH_GATE_H_
