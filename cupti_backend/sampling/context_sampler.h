// SPDX-License-Identifier: Apache-2.0
//
// A context sampler samples the work of one CUDA context: it prepares its counters, changes from
// one pass group to the next, and puts a counter range around a launch.
#ifndef PROF_CUPTI_BACKEND_SAMPLING_CONTEXT_SAMPLER_H_
#define PROF_CUPTI_BACKEND_SAMPLING_CONTEXT_SAMPLER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cupti_backend/api/problem.h"
#include "cupti_backend/sampling/context_counters.h"
#include "cupti_backend/sampling/counter_plans.h"
#include "cupti_backend/sampling/hardware_lease.h"
#include "cupti_backend/sampling/sampler_parts.h"
#include "cupti_backend/sampling/trace_pause.h"
#include "cupti_backend/schedule/launch.h"
#include "cupti_backend/schedule/sampling_policy.h"
#include "cupti_backend/schedule/stream_watch.h"

namespace prof::cupti {

class ContextSampler {
 public:
  // kBusy: another program holds the counters; the worker tries again.
  enum class Phase { kFree, kNew, kReady, kRunning, kBusy, kFailed, kClosed };

  // `slot`: the sampler's number of this context. `parts` outlives this.
  ContextSampler(SamplerParts* parts, size_t slot) : parts_(parts), slot_(slot) {}

  // --- Any thread ---

  // Takes this slot for `handle`; false when it is taken.
  bool Claim(CUcontext handle);
  CUcontext handle() const { return handle_.load(std::memory_order_acquire); }
  size_t slot() const { return slot_; }
  Phase phase() const { return phase_.load(std::memory_order_acquire); }
  StreamWatch& streams() { return streams_; }

  // Its counters are planned: the functions below may be used.
  static bool Prepared(Phase phase) { return phase == Phase::kReady || phase == Phase::kRunning; }
  uint32_t context_id() const { return plan_.context_id; }  // as in activity records

  // Requests `group` from the worker, unless another request is open. No lock, no allocation.
  void RequestGroup(uint32_t group);
  bool awaits_group() const { return wanted_.load() >= 0; }
  // For replay: the first launches wait until counters are prepared, 10 s at most. False: they are
  // not.
  bool AwaitFirstGroup() const;

  // The context is about to be destroyed.
  void Close();

  // --- A launching thread with the hardware lease ---

  SamplingPolicy::Hardware hardware(const HardwareLease& lease) const;
  // Puts a counter range around what comes, once the GPU is idle. False: there is none.
  bool Open(const HardwareLease& lease, SamplingPolicy::Entry* entry, const Launch& launch,
            uint32_t group);
  void CloseRange(const HardwareLease& lease);

  // --- The worker ---

  // It is new, or it is time to try again.
  bool NeedsPreparation(int64_t now_ns) const;
  // When to try again. INT64_MAX: not at all.
  int64_t retry_ns() const;
  // Plans its counters, unless it was closed meanwhile; about 0.2 s the first time.
  void Prepare();
  // Counts the group that was requested. 7 to 62 ms, the first time up to 1.5 s.
  void ChangeGroup();
  // Nothing of it is sampled any more.
  void GiveUp() { SetPhaseUnlessClosed(Phase::kFailed); }

  // --- The end ---

  // Reads the last samples and lets go of the hardware.
  void Finish(const HardwareLease& lease);

 private:
  // The range that is open: there is one at a time.
  struct OpenRange {
    int64_t begin_ns = 0;
    bool untraced = false;
  };

  void SetPhaseUnlessClosed(Phase phase);
  bool Plan();
  bool CloseGate();
  CUptiResult Count(const HardwareLease& lease, uint32_t group);
  void BackOff();
  void Refuse(const Problem& problem);
  void ReportRecovery();
  void Fail(const HardwareLease& lease, CUptiResult result, const char* action);

  SamplerParts* const parts_;
  const size_t slot_;
  std::atomic<Phase> phase_{Phase::kFree};
  std::atomic<CUcontext> handle_{nullptr};
  std::atomic<int> wanted_{-1};  // the group that launches want; -1: none
  StreamWatch streams_;

  // From phase kReady on:
  ContextPlan plan_;
  std::vector<Tracing> tracing_;  // by pass group

  // The worker, in phase kBusy:
  int refusals_ = 0;
  int64_t busy_since_ns_ = 0, retry_ns_ = 0;

  // The holder of the hardware lease:
  ContextCounters counters_{parts_, &plan_, slot_};
  OpenRange open_;
  int64_t not_before_ns_ = 0;  // the GPU was not idle when it had to be: not again before this
  int64_t retry_after_ns_ = 0;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SAMPLING_CONTEXT_SAMPLER_H_
