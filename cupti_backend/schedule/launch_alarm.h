// SPDX-License-Identifier: Apache-2.0
//
// The launch alarm wakes triage when a kernel is launched that lacks samples, in a program that
// leaves the GPU idle most of the time. Bursts at random times would meet a kernel that runs for 2
// ms of each 60 ms step in one of thirty.
#ifndef PROF_CUPTI_BACKEND_SCHEDULE_LAUNCH_ALARM_H_
#define PROF_CUPTI_BACKEND_SCHEDULE_LAUNCH_ALARM_H_

#include <atomic>

#include "cupti_backend/schedule/work_signal.h"

namespace prof::cupti {

class LaunchAlarm {
 public:
  // --- The sampler's thread ---

  // The next launch of such a kernel rings, once.
  void Arm() {
    State off = State::kOff;
    state_.compare_exchange_strong(off, State::kArmed, std::memory_order_acq_rel);
  }
  [[nodiscard]] bool rung() const { return state_.load(std::memory_order_acquire) == State::kRung; }
  void SwitchOff() { state_.store(State::kOff, std::memory_order_release); }
  // What it waits for: an alarm, or what anybody else has to say.
  WorkSignal& signal() { return signal_; }

  // There are kernels whose launch rings. The nodes of graphs do not.
  [[nodiscard]] bool may_ring() const { return may_ring_.load(std::memory_order_relaxed); }

  // --- The holder of the hardware lease ---

  void SetMayRing(bool may) { may_ring_.store(may, std::memory_order_relaxed); }

  // --- Launching threads: no lock, no allocation; one load where it is not armed ---

  void OnLackingLaunch() {
    if (state_.load(std::memory_order_relaxed) != State::kArmed) return;
    State armed = State::kArmed;
    if (state_.compare_exchange_strong(armed, State::kRung, std::memory_order_acq_rel)) {
      signal_.Post();
    }
  }

 private:
  enum class State { kOff, kArmed, kRung };

  std::atomic<State> state_{State::kOff};
  std::atomic<bool> may_ring_{false};
  WorkSignal signal_;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SCHEDULE_LAUNCH_ALARM_H_
