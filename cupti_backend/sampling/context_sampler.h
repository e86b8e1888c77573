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
#include "cupti_backend/pm/device_turn.h"
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
  // kReleased: its counters are planned, and the hardware is let go until a launch wants it. kBusy:
  // another program holds the counters; the worker tries again.
  enum class Phase { kFree, kNew, kReady, kRunning, kReleased, kBusy, kFailed, kClosed };

  // `slot`: the sampler's number of this context. `parts` outlives this.
  ContextSampler(SamplerParts* parts, size_t slot) : parts_(parts), slot_(slot) {}

  // --- Any thread ---

  // Takes this slot for `handle`, unless it has it already; false when another context has it, or
  // had it.
  bool Claim(CUcontext handle);
  CUcontext handle() const { return handle_.load(std::memory_order_acquire); }
  size_t slot() const { return slot_; }
  Phase phase() const { return phase_.load(std::memory_order_acquire); }
  StreamWatch& streams() { return streams_; }
  // Work of another thread comes while the gate is closed around a launch: the sample is not of the
  // launch alone.
  void NoteOtherWork() { other_work_.store(true, std::memory_order_relaxed); }

  // As in activity records.
  uint32_t context_id() const { return context_id_.load(std::memory_order_relaxed); }

  // Its counters are planned: the functions below may be used.
  static bool Prepared(Phase phase) {
    return phase == Phase::kReady || phase == Phase::kRunning || phase == Phase::kReleased;
  }

  // Requests `group` from the worker, unless another request is open. No lock, no allocation.
  void RequestGroup(uint32_t group);
  bool awaits_group() const { return wanted_.load() >= 0 && phase() != Phase::kClosed; }
  // For replay: launches wait until counters are prepared, 10 s at most, and after that not again
  // before they are. False: they are not. Not between the gate's Enter and Exit: a group is changed
  // when no launch is under way.
  bool AwaitFirstGroup();

  // The context is about to be destroyed. Waits until nobody uses it any more, some seconds at
  // most.
  void Close();

  // Keeps the context from being destroyed, for a scope. False: it is closed already.
  class [[nodiscard]] Use {
   public:
    explicit Use(ContextSampler* context);
    ~Use() { context_->uses_.fetch_sub(1, std::memory_order_seq_cst); }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    explicit operator bool() const { return open_; }

   private:
    ContextSampler* const context_;
    const bool open_;
  };
  // Its device, as CUDA numbers them, once it was asked for; -1: not known.
  int device();
  // Waits for all its work, at a moment without a stream capture. False when it failed, or a
  // capture took longer than 2 s.
  bool Synchronize(const std::atomic<bool>& given_up);

  // --- A launching thread with the hardware lease ---

  // The GPU was not quiet a short time ago: Open would be in vain. One load.
  bool busy(int64_t now_ns) const {
    return now_ns < look_again_ns_.load(std::memory_order_relaxed);
  }
  SamplingPolicy::Hardware hardware(const HardwareLease& lease) const;
  // Puts a counter range around what comes, if the GPU is quiet at this moment: nothing is waited
  // for. False: there is none.
  bool Open(const HardwareLease& lease, SamplingPolicy::Entry* entry, const Launch& launch,
            uint32_t group);
  // False: the sample is no good.
  bool CloseRange(const HardwareLease& lease);

  // --- The worker ---

  // It is new, or it is time to try again.
  bool NeedsPreparation(int64_t now_ns) const;
  // A group is to be changed, now.
  bool NeedsChange(int64_t now_ns) const { return awaits_group() && now_ns >= change_ns_; }
  // When to try again. INT64_MAX: not at all.
  int64_t retry_ns() const;
  // Plans its counters, unless it was closed meanwhile; about 0.2 s the first time.
  void Prepare();
  // Counts the group that was requested. 7 to 62 ms, the first time up to 1.5 s. While the GPU's
  // work may wait for the host, nothing is done, and it is tried again.
  void ChangeGroup();
  // The request for a group is dropped where the hardware was not taken for it yet: on a busy GPU
  // that may last, and triage needs the hardware now.
  void Withdraw();
  // Whether another process on its GPU lets this one have the counters; others get to know that it
  // waits.
  [[nodiscard]] bool HasTurn(int64_t now_ns);
  // It has had the hardware for a second, and has nothing to read with it, or another process
  // waits.
  [[nodiscard]] bool IsToRelease(int64_t now_ns) const;
  // Reads the samples and lets go of the hardware. 7 to 60 ms. It is enabled again by the next
  // change of group.
  void Release();
  // It is closed: others may have the GPU's counters.
  void LeaveTurn(int64_t now_ns) {
    if (phase() == Phase::kClosed) turn_.Give(now_ns);
  }
  // Nothing of it is sampled any more.
  void GiveUp() { SetPhaseUnlessClosed(Phase::kFailed); }

  // --- The end ---

  // Closes the range of a thread that has not left it. False: the GPU has work that may wait for
  // the host, after a short wait; the range stays open.
  [[nodiscard]] bool CloseAtEnd(const HardwareLease& lease);
  // Reads the last samples and lets go of the hardware, unless work that may wait for the host is
  // under way for 2 s.
  void Finish(const HardwareLease& lease);

 private:
  // The range that is open: there is one at a time.
  struct OpenRange {
    int64_t begin_ns = 0;
    bool untraced = false;
  };

  // What CUPTI waits for.
  enum class Waits {
    kForStream,  // the earlier work of a launch's own stream
    kForAll      // all work of the context
  };

  enum class Closing { kWhereSeveral, kAlways };  // streams

  void SetPhaseUnlessClosed(Phase phase);
  bool Plan();
  bool EndsByItself();
  bool IsQuiet(Waits waits, CUstream own);
  bool CloseGate(Waits waits, CUstream own, Closing closing = Closing::kWhereSeveral);
  bool CloseGateWithin(int64_t patience_ns, Closing closing = Closing::kWhereSeveral);
  void Change(const HardwareLease& lease);
  CUptiResult Enable(const HardwareLease& lease);
  void Refuse(const Problem& problem);
  void NoteCounted(bool counted);
  void ReportRecovery();
  void ReportLeftOut();
  void LeaveHardware(const HardwareLease& lease);
  void Fail(const HardwareLease& lease, CUptiResult result, const char* action);

  SamplerParts* const parts_;
  const size_t slot_;
  std::atomic<Phase> phase_{Phase::kFree};
  std::atomic<CUcontext> handle_{nullptr};
  std::atomic<uint32_t> context_id_{0};
  std::atomic<int> wanted_{-1};  // the group that launches want; -1: none
  std::atomic<int> uses_{0};     // of Use
  std::atomic<int> device_{-1};
  std::atomic<int64_t> look_again_ns_{0};    // the GPU was not quiet: not asked before this
  std::atomic<bool> other_work_{false};      // in the range that is open
  std::atomic<bool> waited_in_vain_{false};  // a launch did, under replay
  std::atomic<bool> counted_{false};         // since it failed last
  StreamWatch streams_;

  // From phase kReady on:
  ContextPlan plan_;
  std::vector<Tracing> tracing_;  // by pass group

  // The worker, in phase kBusy:
  int refusals_ = 0;
  int64_t busy_since_ns_ = 0, retry_ns_ = 0;
  int64_t change_ns_ = 0;  // no change of group before this
  DeviceTurn turn_;
  int64_t running_since_ns_ = 0;

  // The holder of the hardware lease:
  ContextCounters counters_{parts_, &plan_, slot_};
  OpenRange open_;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SAMPLING_CONTEXT_SAMPLER_H_
