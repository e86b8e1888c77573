// SPDX-License-Identifier: Apache-2.0
//
// The launch sampler puts counter ranges around launches, inside their callbacks: it pushes one
// before and pops it after a chosen launch. Every other launch runs untouched.
#ifndef PROF_CUPTI_BACKEND_SAMPLING_LAUNCH_SAMPLER_H_
#define PROF_CUPTI_BACKEND_SAMPLING_LAUNCH_SAMPLER_H_

#include <atomic>
#include <cstdint>

#include "cupti_backend/sampling/context_slots.h"
#include "cupti_backend/sampling/sampler_parts.h"
#include "cupti_backend/schedule/launch.h"

namespace prof::cupti {

// The program's threads. While another thread has the hardware, a launch goes on unsampled. Only
// under replay it waits, a second at most, and then at the gate: its kernel may run once.
class LaunchSampler {
 public:
  // Both outlive this.
  LaunchSampler(SamplerParts* parts, ContextSlots* contexts);

  // Around each launch. Most launches cost a table look-up; a sampled one what CUPTI's range costs:
  // 50 us to 1 ms on an H200, and the wait until the GPU is idle.
  void OnLaunchEnter(const Launch& launch);
  void OnLaunchExit();
  // A thread whose innermost NVTX range has become `path`, or that is about to leave a range.
  // `token`: the range's number within its thread; a path may change while its range is open.
  void OnRangeEnter(uint32_t path, uint32_t token);
  void OnRangeExit(uint32_t token);
  // A call that gives `stream` work but launches nothing. `waits`: the work may wait for the host.
  void OnStreamWork(CUcontext context, CUstream stream, uint32_t correlation, bool waits);
  // Before the driver begins a capture, and once it has ended or did not begin.
  void OnCaptureBegin(CUstream stream) { parts_->captures.Begin(stream); }
  void OnCaptureEnd(CUstream stream) { parts_->captures.End(stream); }
  // A launch on several devices at once, in place of OnLaunchEnter.
  void OnSeveralDevicesLaunch() { parts_->policy.CountSeveralDevicesLaunch(); }

  // A thread that made a context, or is about to use one: counters are prepared at once, so that
  // the first launches wait for them as little as possible. Only wakes the worker.
  void OnContext(CUcontext context) { contexts_->Find(context); }
  void OnContextDestroyed(CUcontext context);
  // The code of a module was read: the thread that loads it was held up meanwhile. Shorter times
  // than this are as those of a callback.
  static constexpr int64_t kLeastNotedNs = 100'000;
  void OnCodeRead(int64_t begin_ns, int64_t end_ns) {
    if (end_ns - begin_ns < kLeastNotedNs) return;
    parts_->outbox.Add(capture::ProfilerWork::kSetup, begin_ns, end_ns);
  }
  void OnStreamDestroyed(CUcontext context, CUstream stream) {
    parts_->captures.End(stream);
    contexts_->ForgetStream(context, stream);
  }

  // The end of a recording, or a pause: closes the counted range that a thread has not left yet.
  void CloseLeftRange();

  // The user wants counters: OnLaunchEnter and OnLaunchExit have to be called.
  bool samples_launches() const { return parts_->samples_launches; }
  // Some range is a counted region: OnRangeEnter and OnRangeExit have to be called.
  bool counts_ranges() const { return parts_->policy.counts_ranges(); }

 private:
  uint32_t id() const { return id_.load(std::memory_order_relaxed); }
  // The signature of a launch that is to be sampled now, as far as its own history goes.
  SamplingPolicy::Entry* Choose(ContextSampler& context, const Launch& launch, int64_t now_ns);
  // What the policy has on a launch: its entry, the same where a sample is wanted, and whether its
  // work ends by itself.
  struct Considered {
    SamplingPolicy::Entry* known = nullptr;
    SamplingPolicy::Entry* wanted = nullptr;
    bool trusted = false;
  };
  SamplingPolicy::Entry* Examine(ContextSampler& context, const Launch& launch, int64_t now_ns,
                                 const Considered& considered);
  // Of the first launch of a signature.
  void NoteLocalMemory(const Launch& launch);
  // `token`: of a range, whose numbers begin at 1.
  void Sample(ContextSampler& context, SamplingPolicy::Entry* entry, const Launch& launch,
              int64_t now_ns, uint32_t token = 0);
  HardwareLease AwaitHardware(ContextSampler& context);
  void CloseOpenRange();
  // Takes the counted range out of counted_; false: it was closed, or the end has it for a second.
  bool TakeCounted();

  // What is sampled, of which group, and since when: of the range that is open.
  struct Sampled {
    SamplingPolicy::Entry* entry = nullptr;
    uint32_t group = 0;
    int64_t begin_ns = 0;
  };

  SamplerParts* const parts_;
  ContextSlots* const contexts_;
  Sampled sampled_;           // whoever has the hardware
  std::atomic<uint32_t> id_;  // in this process; another one when a range was closed for its thread
  // Of the counted range that is open. Who takes it out closes the range: its thread, or the end.
  std::atomic<ContextSampler*> counted_{nullptr};
  std::atomic<bool> looking_{false};  // the end has taken it out, and may put it back
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SAMPLING_LAUNCH_SAMPLER_H_
