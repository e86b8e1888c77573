// SPDX-License-Identifier: Apache-2.0
//
// The launch alarm wakes triage shortly before a kernel that lacks samples, in a program that
// leaves the GPU idle most of the time. Bursts at random times would meet a kernel that runs for 2
// ms of each 60 ms step in one of thirty, and a burst that begins at the kernel's own launch comes
// too late: it takes 0.6 ms to begin.
//
// So the alarm learns what comes before. A context is the last four launches. When a kernel is
// launched that lacks samples, the context of a moment earlier becomes the cue; when these four
// launches follow each other again, the kernel is likely to come again. The layers of a model
// launch the same kernels, so what comes before the kernel that follows all layers comes in each of
// them: the cue is its context for the n-th time since the kernel's last launch. Once armed it
// waits for that cue only. While it is not armed, such launches replace the cue, at random and by
// the GPU time of their kernels: of all that came since the last burst, each is as likely to have
// the cue as its time is of theirs. A cue that was waited for in vain is forgotten, and until a cue
// has come again the kernel's own launch rings, too.
#ifndef PROF_CUPTI_BACKEND_SCHEDULE_LAUNCH_ALARM_H_
#define PROF_CUPTI_BACKEND_SCHEDULE_LAUNCH_ALARM_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "cupti_backend/schedule/work_signal.h"

namespace prof::cupti {

class LaunchAlarm {
 public:
  // A cue comes at least so long before its kernel: a burst needs that to begin, and some more,
  // so that the kernel need not be the first in it. Host code is less regular over longer times.
  static constexpr int64_t kShortestLeadNs = 1'600'000, kLongestLeadNs = 20'000'000;

  // --- The sampler's thread ---

  // The cue rings, once; a launch that lacks samples where no cue is known, or none has come again.
  void Arm() {
    State off = State::kOff;
    state_.compare_exchange_strong(off, State::kArmed, std::memory_order_acq_rel);
  }
  [[nodiscard]] bool rung() const { return state_.load(std::memory_order_acquire) == State::kRung; }
  // Where it was armed and did not ring, the cue is forgotten.
  void SwitchOff();
  // When the kernel is to be expected for which it rang (CLOCK_MONOTONIC); 0: no cue was known, so
  // it rang at such a launch.
  [[nodiscard]] int64_t expected_ns() const { return expected_ns_.load(std::memory_order_relaxed); }
  // Whether launches are remembered.
  void SetLearns(bool learns);
  // What it waits for: an alarm, or what anybody else has to say.
  WorkSignal& signal() { return signal_; }

  // There are kernels that lack samples and are launched one by one, not as nodes of graphs.
  [[nodiscard]] bool may_ring() const { return may_ring_.load(std::memory_order_relaxed); }

  // --- The holder of the hardware lease ---

  void SetMayRing(bool may) { may_ring_.store(may, std::memory_order_relaxed); }
  // The kernel for which it was may have enough samples by now.
  void ForgetCue() { cue_.store(0, std::memory_order_relaxed); }

  // --- Launching threads: no lock, no allocation ---

  [[nodiscard]] bool learns() const { return learns_.load(std::memory_order_relaxed); }
  struct Kernel {
    bool lacking = false;  // false: the rest means nothing
    int64_t delay_ns = 0;  // from its launch to its start on the GPU, which may have other work
    int64_t time_ns = 0;   // that it runs for; 0: not known yet
  };
  // While it learns. `key` tells signatures apart. Launches of several threads at once make
  // contexts that do not come again, and may mix two cues: then it rings in vain or not, once. A
  // launch that becomes the cue's reads up to kPasts of those before it; most read none.
  void OnLaunch(uint64_t key, const Kernel& kernel, int64_t now_ns);

 private:
  static constexpr auto kRelaxed = std::memory_order_relaxed;
  enum class State { kOff, kArmed, kRung };
  struct Past {
    std::atomic<uint64_t> context{0};
    std::atomic<int64_t> at_ns{0};
  };
  // A launch each 5 us for kShortestLeadNs, at least, and a step of a model.
  static constexpr size_t kPasts = 2048;

  void Ring(int64_t expected_ns);
  bool IsChosen(size_t position, int64_t time_ns);
  void OnCue(int64_t now_ns);
  // How many launches before this one are of the time in which it learns, and remembered.
  [[nodiscard]] size_t PastsBefore(size_t position) const;
  void LearnCue(size_t position, int64_t expected_ns);
  // How often the context of the launch that is `cue_back` before this one has come, up to then,
  // since the kernel's last launch before it; 0: that is too long ago.
  [[nodiscard]] uint32_t TurnOf(size_t position, size_t cue_back, uint16_t kernel) const;

  std::atomic<bool> learns_{false}, may_ring_{false};
  std::atomic<bool> comes_again_{true};  // a cue, since one was forgotten
  std::atomic<State> state_{State::kOff};
  std::atomic<int64_t> expected_ns_{0};
  // 16 bits for each launch; 0: no cue is known.
  std::atomic<uint64_t> context_{0}, cue_{0};
  std::atomic<int64_t> lead_ns_{0};  // from the cue to its kernel
  // The cue's kernel; how often its context comes after a launch of the kernel until it is the cue
  // (0: not known, each time is one), and has come since.
  std::atomic<uint16_t> kernel_{0};
  std::atomic<uint32_t> turn_{0}, come_{0};
  std::atomic<size_t> position_{0};
  std::atomic<size_t> learns_from_{0};     // a position: what is before it is of another time
  std::atomic<int64_t> candidates_ns_{0};  // the GPU time of the kernels that could have the cue
  std::array<Past, kPasts> pasts_;
  WorkSignal signal_;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SCHEDULE_LAUNCH_ALARM_H_
