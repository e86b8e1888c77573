// SPDX-License-Identifier: Apache-2.0
//
// The counter sampler reads counters from launches that happen anyway: a counter range is pushed
// before and popped after a chosen launch, inside its callback; every other launch runs untouched.
//
// Three kinds of threads use it. Launching threads push and pop, and do no more (LaunchSampler). A
// thread of the sampler's own plans the passes and changes from one pass group to the next
// (SamplerWorker). The collector thread takes what was read (this class). One thread at a time
// works with CUPTI's profiler (HardwareLease).
//
// Which launch is sampled, and for which pass group, is not decided here (SamplingPolicy).
#ifndef PROF_CUPTI_BACKEND_SAMPLING_COUNTER_SAMPLER_H_
#define PROF_CUPTI_BACKEND_SAMPLING_COUNTER_SAMPLER_H_

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "cupti_backend/sampling/context_slots.h"
#include "cupti_backend/sampling/launch_sampler.h"
#include "cupti_backend/sampling/sampler_outbox.h"
#include "cupti_backend/sampling/sampler_parts.h"
#include "cupti_backend/sampling/sampler_worker.h"
#include "cupti_backend/schedule/record_watch.h"
#include "lib/capture/collector/gpu_wait.h"
#include "prof/session.h"
#include "prof/snapshot.h"

namespace prof::cupti {

// The collector thread.
class CounterSampler {
 public:
  // Both tables outlive this.
  CounterSampler(const CuptiApi* api, const DriverApi* driver, const SessionOptions& options);
  ~CounterSampler();

  // For the callbacks.
  LaunchSampler& launches() { return launches_; }
  // Takes all GPU work that is decoded.
  RecordWatch& records() { return parts_.policy.records(); }
  SamplingPolicy& policy() { return parts_.policy; }
  HardwareTurns& turns() { return parts_.turns; }
  SamplingBudget& budget() { return parts_.budget; }
  ContextSlots& contexts() { return contexts_; }

  SamplerEvents TakeEvents();
  // Reads the samples taken so far and lets go of the hardware. No launch is sampled after it.
  void Stop();
  // No launch is sampled until Resume, and the hardware is let go. False: a launch under a counter
  // range does not return; all goes on then.
  bool Pause();
  void Resume();
  // What waits until the GPU has done the work of the contexts that launched something. It may run
  // when this is gone.
  capture::GpuWait::Work WaitForGpu() const;
  // CUPTI has ended: no launch is sampled any more, and CUPTI's profiler is left as it is, with the
  // memory that it knows. Waits for the sampler's thread.
  void Abandon(const Problem& why);
  // Calls `work` at a moment when no launch is under a counter range and none comes under one.
  // False when there is no such moment within a second.
  bool Undisturbed(const std::function<void()>& work);

  // --- Any thread ---

  SubsystemStatus status() const;
  // No more samples come, as far as can be known.
  [[nodiscard]] bool Complete() const;
  // Every signature that was seen has its samples.
  [[nodiscard]] bool AllSampled() const;
  // GpuSource::decided_share.
  [[nodiscard]] std::optional<double> decided_share() const {
    return parts_.policy.decided_share();
  }
  // Every known context is as it will be until the next launch. Tests wait for it; in a program
  // the launches of that moment are just not sampled.
  [[nodiscard]] bool Settled() const { return contexts_.Settled() && !parts_.hardware.taken(); }
  void AddLosses(Integrity& integrity) const;
  // Launches that prof kept out of CUPTI's tracing, or that were beside such a one.
  [[nodiscard]] uint64_t launches_untraced() const {
    return parts_.launches_untraced.load(std::memory_order_relaxed);
  }

 private:
  void FindRanks();
  void AddNoticeOfRanks(const std::string& who);
  void ChooseByNeed(int64_t now_ns);
  void AddFinalNotices();
  // The hardware, from counted ranges that are open too; false where a launch does not return.
  HardwareLease TakeFromRanges();

  struct All {
    All(const CuptiApi* api, const DriverApi* driver, const SessionOptions& options)
        : parts(api, driver, options) {}

    SamplerParts parts;
    ContextSlots contexts{&parts};
    LaunchSampler launches{&parts, &contexts};
    SamplerWorker worker{&parts, &contexts};
    All* next_left = nullptr;     // Leave
    std::shared_ptr<All> itself;  // the same: it is never freed
  };
  static void Leave(const std::shared_ptr<All>& all);

  std::shared_ptr<All> all_;  // also of a wait for the GPU
  SamplerParts& parts_;
  ContextSlots& contexts_;
  LaunchSampler& launches_;
  SamplerWorker& worker_;
  bool looked_for_ranks_ = false;  // NCCL was seen
  // A launch is still under its range: its thread, and CUPTI, go on using all of this.
  bool in_use_ = false;
  std::atomic<bool> were_sampled_{false};  // AllSampled() when the sampler was stopped
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SAMPLING_COUNTER_SAMPLER_H_
