// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/context_sampler.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "cupti_backend/api/counter_errors.h"
#include "lib/capture/process/clock.h"

namespace prof::cupti {
namespace {

using capture::MonotonicNs;
using capture::ProfilerWork;
using capture::RealtimeNs;

// How long the sampler leaves a context alone after it has waited in vain for its GPU to be idle,
// the first time and at most.
constexpr int64_t kFirstBackoffNs = 1'000'000'000, kLongestBackoffNs = 60'000'000'000;
// Replaying cannot wait for the next launch, so the first one waits for us.
constexpr int64_t kReplayReadyNs = 10'000'000'000;

}  // namespace

// --- Any thread ----------------------------------------------------------------------------------

bool ContextSampler::Claim(CUcontext handle) {
  Phase expected = Phase::kFree;
  if (!phase_.compare_exchange_strong(expected, Phase::kNew, std::memory_order_acq_rel)) {
    return false;
  }
  handle_.store(handle, std::memory_order_release);
  parts_->work.Post();
  return true;
}

void ContextSampler::RequestGroup(uint32_t group) {
  int none = -1;
  if (wanted_.compare_exchange_strong(none, static_cast<int>(group))) parts_->work.Post();
}

bool ContextSampler::AwaitFirstGroup() const {
  const int64_t until_ns = MonotonicNs() + kReplayReadyNs;
  while (phase() == Phase::kNew || awaits_group()) {
    if (parts_->closed.load(std::memory_order_acquire) || MonotonicNs() > until_ns) return false;
    usleep(200);
  }
  return true;
}

void ContextSampler::Close() {
  // What was not read by now is lost with the context; touching the profiler from a resource
  // callback is not allowed.
  const Phase before = phase_.exchange(Phase::kClosed);
  if (before == Phase::kRunning) {
    const HardwareLease lease = parts_->hardware.TakeWithin(SamplerParts::kLaunchWaitNs);
    if (lease) counters_.LoseSamples(lease);
  }
  handle_.store(nullptr, std::memory_order_release);
}

void ContextSampler::SetPhaseUnlessClosed(Phase phase) {
  Phase before = phase_.load(std::memory_order_acquire);
  while (before != Phase::kClosed && !phase_.compare_exchange_weak(before, phase)) {
  }
}

// --- A launching thread with the hardware lease --------------------------------------------------

SamplingPolicy::Hardware ContextSampler::hardware(const HardwareLease& lease) const {
  return {slot_, static_cast<uint32_t>(plan_.passes->groups.size()), counters_.group(),
          counters_.has_room(lease)};
}

bool ContextSampler::Open(const HardwareLease& lease, SamplingPolicy::Entry* entry,
                          const Launch& launch, uint32_t group) {
  if (!counters_.counting(lease)) return false;
  const bool kernel = launch.unit == capture::SampleUnit::kKernel;
  const bool untraced = kernel && (parts_->replays || tracing_[group] != Tracing::kTraced);
  const int64_t begin_ns = RealtimeNs();
  if (MonotonicNs() < not_before_ns_) return false;
  if (!streams_.IdleWithin(*parts_->driver, SamplerParts::kIdleWaitNs)) {
    BackOff();
    parts_->AddInterval(ProfilerWork::kSample, begin_ns, RealtimeNs());
    return false;
  }
  retry_after_ns_ = 0;
  if (untraced) {
    if (!parts_->tracing.Begin()) return false;
    parts_->AddUntraced(launch);
  }
  parts_->held_up.BeginRange({entry, launch.kernel_name}, MonotonicNs());
  const CUptiResult pushed = counters_.Push(
      lease, {entry, launch.unit, group, launch.correlation, launch.path, begin_ns, begin_ns});
  if (pushed != CUPTI_SUCCESS) {
    parts_->held_up.EndRange();
    if (untraced) parts_->tracing.End();
    Fail(lease, pushed, "open a counter range");
    return false;
  }
  open_ = {begin_ns, untraced};
  return true;
}

void ContextSampler::CloseRange(const HardwareLease& lease) {
  const CUptiResult popped = counters_.Pop(lease);
  const CUptiResult traced = open_.untraced ? parts_->tracing.End() : CUPTI_SUCCESS;
  parts_->held_up.EndRange();
  const int64_t end_ns = RealtimeNs();
  counters_.EndSample(lease, end_ns);
  if (popped != CUPTI_SUCCESS) Fail(lease, popped, "close a counter range");
  if (traced != CUPTI_SUCCESS) Fail(lease, traced, "go on recording kernels after a sample");
  parts_->AddInterval(ProfilerWork::kSample, open_.begin_ns, end_ns);
}

void ContextSampler::BackOff() {
  retry_after_ns_ = std::clamp(2 * retry_after_ns_, kFirstBackoffNs, kLongestBackoffNs);
  not_before_ns_ = MonotonicNs() + retry_after_ns_;
}

void ContextSampler::Fail(const HardwareLease& lease, CUptiResult result, const char* action) {
  SetPhaseUnlessClosed(Phase::kFailed);
  counters_.LoseSamples(lease);
  parts_->outbox.SetStatus(State::kUnavailable, ExplainCounterError(*parts_->api, result, action));
}

// --- The worker ----------------------------------------------------------------------------------

bool ContextSampler::NeedsPreparation(int64_t now_ns) const {
  const Phase now = phase();
  return now == Phase::kNew || (now == Phase::kBusy && now_ns >= retry_ns_);
}

int64_t ContextSampler::retry_ns() const {
  return phase() == Phase::kBusy ? retry_ns_ : std::numeric_limits<int64_t>::max();
}

void ContextSampler::Prepare() {
  Phase before = phase();
  if (before != Phase::kNew && before != Phase::kBusy) return;  // closed meanwhile
  // Off the launching threads, but CUPTI holds up their calls meanwhile: it counts as ours.
  const int64_t begin_ns = RealtimeNs();
  const bool planned = Plan();
  parts_->AddInterval(ProfilerWork::kSetup, begin_ns, RealtimeNs());
  if (!planned || !phase_.compare_exchange_strong(before, Phase::kReady)) return;
  wanted_.store(0);  // the first start is the long one: before a launch wants it
}

bool ContextSampler::Plan() {
  if (const std::optional<Problem> problem = parts_->plans.Prepare(handle_.load(), &plan_)) {
    Refuse(*problem);
    return false;
  }
  if (!plan_.left_out.empty()) {
    parts_->outbox.SetStatus(State::kDegraded, {0, "not sampled on this chip: " + plan_.left_out,
                                                "check the names against this chip's metrics"});
  }
  tracing_.clear();
  uint64_t kernel_only = 0;
  for (const PlannedGroup& group : plan_.passes->groups) {
    const Tracing tracing = TracingFor(group.metrics);
    if (tracing == Tracing::kNeverTraced) kernel_only |= uint64_t{1} << tracing_.size();
    tracing_.push_back(tracing);
  }
  parts_->policy.SetKernelOnly(slot_, kernel_only);
  parts_->outbox.Add(std::exchange(plan_.new_groups, {}));
  return true;
}

void ContextSampler::ChangeGroup() {
  const HardwareLease lease = parts_->hardware.TakeWithin(SamplerParts::kLaunchWaitNs);
  if (!lease) {  // a launch that does not return: to be requested again
    wanted_.store(-1);
    return;
  }
  struct AtEnd {
    ~AtEnd() {
      context->parts_->gate.Open();
      context->wanted_.store(-1);
    }
    ContextSampler* context;
  } const at_end{this};
  const Phase before = phase();
  if (!Prepared(before) || !CloseGate()) return;
  parts_->driver->ctx_set_current(handle_.load());
  const int64_t begin_ns = RealtimeNs();
  const CUptiResult result = Count(lease, static_cast<uint32_t>(wanted_.load()));
  parts_->AddInterval(before == Phase::kReady ? ProfilerWork::kSetup : ProfilerWork::kRotate,
                      begin_ns, RealtimeNs());
  if (result == CUPTI_ERROR_HARDWARE_BUSY) {
    counters_.Reset(lease);  // nothing is held while waiting, and the next try begins afresh
    Refuse(ExplainCounterError(*parts_->api, result, "start counting"));
  } else if (result != CUPTI_SUCCESS) {
    Fail(lease, result, "start counting");
  } else {
    ReportRecovery();
  }
}

CUptiResult ContextSampler::Count(const HardwareLease& lease, uint32_t group) {
  if (!counters_.enabled(lease)) {
    const CUptiResult result = counters_.Enable(lease, handle_.load());
    if (result != CUPTI_SUCCESS) return result;
    SetPhaseUnlessClosed(Phase::kRunning);
  }
  return counters_.Count(lease, group);
}

// False when the context's work does not end: then it is left alone for a while.
bool ContextSampler::CloseGate() {
  if (MonotonicNs() < not_before_ns_) return false;
  if (!streams_.several()) return true;
  parts_->gate.CloseFor(this);
  if (streams_.IdleWithin(*parts_->driver, SamplerParts::kIdleWaitNs)) return true;
  parts_->gate.Open();
  BackOff();
  return false;
}

// This context has no counters, for good or for now.
void ContextSampler::Refuse(const Problem& problem) {
  parts_->outbox.SetStatus(State::kUnavailable, problem);
  const bool busy = problem.code == CUPTI_ERROR_HARDWARE_BUSY;
  if (busy) {
    const int64_t now_ns = MonotonicNs();
    if (refusals_ == 0) busy_since_ns_ = now_ns;
    retry_ns_ = now_ns + CounterRetryNs(refusals_++);
  }
  SetPhaseUnlessClosed(busy ? Phase::kBusy : Phase::kFailed);
}

void ContextSampler::ReportRecovery() {
  if (std::exchange(refusals_, 0) == 0) return;
  if (plan_.left_out.empty()) parts_->outbox.SetStatus(State::kWorking, {});
  char waited[32];
  std::snprintf(waited, sizeof(waited), "%.1f s",
                static_cast<double>(MonotonicNs() - busy_since_ns_) / 1e9);
  parts_->outbox.Add({capture::Severity::kInfo, capture::Subsystem::kCounters,
                      CUPTI_ERROR_HARDWARE_BUSY,
                      "another program had the GPU's counters for " + std::string(waited) +
                          ": launches of that time were not sampled",
                      ""});
}

// --- The end -------------------------------------------------------------------------------------

void ContextSampler::Finish(const HardwareLease& lease) {
  const Phase before = phase_.load();
  if (before == Phase::kFailed) counters_.Disable(lease);
  if (before != Phase::kRunning) return;
  parts_->driver->ctx_set_current(handle_.load());
  const CUptiResult result = counters_.StopAndDecode(lease);
  if (result != CUPTI_SUCCESS) Fail(lease, result, "read the last counters");
  counters_.Disable(lease);
  phase_.store(Phase::kClosed);
}

}  // namespace prof::cupti
