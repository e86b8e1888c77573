// SPDX-License-Identifier: Apache-2.0
//
// The hardware turns decide who may use a GPU's counters: triage by PM sampling, or counter ranges
// around launches. CUPTI serves one of them at a time.
//
// Whoever has the turn lets go of the hardware first, then passes the turn on. Nobody waits here.
// What both need to know of the program for that is here, too.
#ifndef PROF_CUPTI_BACKEND_SCHEDULE_HARDWARE_TURNS_H_
#define PROF_CUPTI_BACKEND_SCHEDULE_HARDWARE_TURNS_H_

#include <atomic>
#include <cstdint>

#include "cupti_backend/schedule/work_signal.h"

namespace prof::cupti {

// Any thread.
class HardwareTurns {
 public:
  enum class Owner : uint8_t { kTriage, kRanges };

  // `ranges`: of the thread that opens and closes the hardware for counter ranges. Triage's looks
  // every 10 ms.
  HardwareTurns(Owner first, WorkSignal* ranges) : ranges_(ranges), owner_(first) {}

  Owner owner() const { return owner_.load(std::memory_order_acquire); }
  bool IsOf(Owner owner) const { return this->owner() == owner; }

  // The owner has let go of the hardware.
  void PassTo(Owner next) {
    owner_.store(next, std::memory_order_release);
    if (next == Owner::kRanges) ranges_->Post();
  }

  // What each of them wants: it would use a turn now.
  void SetWanted(Owner who, bool wanted) {
    wanted_[static_cast<int>(who)].store(wanted, std::memory_order_relaxed);
  }
  bool Wanted(Owner who) const {
    return wanted_[static_cast<int>(who)].load(std::memory_order_relaxed);
  }
  // Something new runs, which triage should see before it ends: counter ranges give their turn away
  // at once.
  void SetUrgent(bool urgent) {
    const bool was = urgent_.exchange(urgent, std::memory_order_relaxed);
    if (urgent && !was && IsOf(Owner::kRanges)) ranges_->Post();
  }
  bool urgent() const { return urgent_.load(std::memory_order_relaxed); }
  // The program gives work to several streams of a context.
  void SetSeveralStreams() { several_streams_.store(true, std::memory_order_relaxed); }
  bool several_streams() const { return several_streams_.load(std::memory_order_relaxed); }

 private:
  WorkSignal* const ranges_;
  std::atomic<Owner> owner_;
  std::atomic<bool> wanted_[2] = {false, false};
  std::atomic<bool> urgent_{false}, several_streams_{false};
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SCHEDULE_HARDWARE_TURNS_H_
