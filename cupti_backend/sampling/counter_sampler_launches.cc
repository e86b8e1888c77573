// SPDX-License-Identifier: Apache-2.0
//
// The part of the sampler that launching threads run.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "cupti_backend/sampling/counter_sampler.h"
#include "lib/capture/process/clock.h"
#include "lib/capture/threads/thread_recorder.h"

namespace prof::cupti {
namespace {

using capture::MonotonicNs;
using capture::ProfilerWork;
using capture::RealtimeNs;

// How long the sampler leaves a context alone after it has waited in vain for its GPU to be idle,
// the first time and at most.
constexpr int64_t kFirstBackoffNs = 1'000'000'000, kLongestBackoffNs = 60'000'000'000;
// What a launch waits at the gate, at most: the first start takes up to 1.5 s.
constexpr int64_t kGateNs = 3'000'000'000;
// Replaying cannot wait for the next launch, so the first one waits for us.
constexpr int64_t kReplayReadyNs = 10'000'000'000;

// The counter range that this thread has open. `sampler` tells whose: callbacks that are switched
// off in the middle of a launch leave it behind.
struct OpenRange {
  uint32_t sampler = 0;
  SampledContext* context = nullptr;
  capture::SampleUnit unit = capture::SampleUnit::kKernel;
  uint32_t path = 0;
  int64_t begin_ns = 0;
  bool untraced = false;
  int next_group = -1;  // to be asked for when it is closed; -1: none
};
thread_local OpenRange open_range;

// Marks the signatures of ranges that are counted as a whole.
const char kRangeSignature = 0;

}  // namespace

void CounterSampler::OnLaunchEnter(const Launch& launch) {
  if (tracing_.OnEnter()) NoteUntraced(launch);
  Context* context = FindContext(launch.context);
  if (context == nullptr) return;
  if (closed_.load(std::memory_order_acquire)) return;
  context->streams.Seen(launch.stream);
  if (gate_.load(std::memory_order_acquire) == context) WaitAtGate(*context);
  if (launch.unit == capture::SampleUnit::kGraph && (replays_ || SeveralContexts())) return;
  if (replays_ && !AwaitReady(*context)) return;
  const Phase phase = context->phase.load(std::memory_order_acquire);
  if (phase == Phase::kFailed || phase == Phase::kClosed) return;

  SampleSchedule::Entry* entry = FindSignature(launch, LaneOf(*context));
  if (entry == nullptr) return;
  const bool chosen =
      entry->exclusion.load(std::memory_order_relaxed) == Exclusion::kNone && selection_.Admits();
  const int64_t now_ns = MonotonicNs();
  if (!schedule_.Considers(*entry, now_ns) || !chosen) return;
  const bool prepared = phase == Phase::kReady || phase == Phase::kRunning;
  if (prepared) AskForWork(*context, launch, entry);
  // Launches before the first group is there count, too: they are the first of their signature.
  if (!prepared || !WithinBudget(now_ns)) return;

  // A launch that is only being captured into a graph does not run now.
  CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;
  if (driver_->stream_is_capturing(launch.stream, &capturing) != CUDA_SUCCESS ||
      capturing != CU_STREAM_CAPTURE_STATUS_NONE) {
    return;
  }
  if (!EndsByItself(*context, launch, entry)) return;
  if (TryEnter()) SampleNext(*context, entry, launch, now_ns);
}

// Some of its first launches, and one now and then.
void CounterSampler::AskForWork(const Context& context, const Launch& launch,
                                SampleSchedule::Entry* entry) {
  const uint32_t launches = entry->launches.load(std::memory_order_relaxed);
  if (launches > 4 && launches % 128 != 0) return;
  records_.work.Ask(context.plan.context_id, launch.correlation, entry);
}

void CounterSampler::OnLaunchExit() {
  if (open_range.sampler == id_ && open_range.unit != capture::SampleUnit::kRange) {
    CloseOpenRange();
  }
  tracing_.OnExit();
}

void CounterSampler::OnRangeEnter(uint32_t path) {
  if (closed_.load(std::memory_order_acquire) || replays_ || !counts_ranges() ||
      open_range.sampler == id_ || !counted_ranges_.Matches(path)) {
    return;
  }
  Launch range;
  range.unit = capture::SampleUnit::kRange;
  if (driver_->ctx_get_current(&range.context) != CUDA_SUCCESS) return;
  Context* context = FindContext(range.context);
  if (context == nullptr) return;
  range.path = path;
  range.signature.function = &kRangeSignature;
  range.signature.context = range.context;
  range.signature.range_family = capture::PathFamily(path);
  SampleSchedule::Entry* entry = FindSignature(range, LaneOf(*context));
  const int64_t now_ns = MonotonicNs();
  if (entry == nullptr || !schedule_.Considers(*entry, now_ns)) return;
  const Phase phase = context->phase.load(std::memory_order_acquire);
  if ((phase != Phase::kReady && phase != Phase::kRunning) || !WithinBudget(now_ns)) return;
  if (TryEnter()) SampleNext(*context, entry, range, now_ns);
}

void CounterSampler::OnRangeExit(uint32_t path) {
  if (open_range.sampler != id_ || open_range.unit != capture::SampleUnit::kRange ||
      open_range.path != path) {
    return;
  }
  CloseOpenRange();
}

// Two kernels that wait for each other would wait for ever: a range keeps later work from starting.
// Within one stream that is so anyway.
bool CounterSampler::EndsByItself(const Context& context, const Launch& launch,
                                  SampleSchedule::Entry* entry) {
  using Alone = SampleSchedule::Alone;
  if (!context.streams.several()) return true;
  const Alone alone = entry->alone.load(std::memory_order_relaxed);
  if (alone == Alone::kYes) return true;
  // A graph runs its own nodes side by side; that it needs later launches is not to be expected.
  if (launch.unit == capture::SampleUnit::kGraph) return true;
  if (alone == Alone::kUnknown &&
      records_.overlaps.Ask(context.plan.context_id, launch.correlation, entry)) {
    entry->alone.store(Alone::kAsked, std::memory_order_relaxed);
  }
  return false;
}

// For replay: the first launches of a context wait until counters are prepared.
bool CounterSampler::AwaitReady(Context& context) {
  const int64_t until_ns = MonotonicNs() + kReplayReadyNs;
  while (context.phase.load(std::memory_order_acquire) == Phase::kNew ||
         context.wanted.load() >= 0) {
    if (closed_.load(std::memory_order_acquire) || MonotonicNs() > until_ns) return false;
    usleep(200);
  }
  return true;
}

// To change the pass group CUPTI waits for the context's work and holds its launches up meanwhile:
// a kernel that waits for a later launch would never end. So work of several streams is kept out.
void CounterSampler::WaitAtGate(const Context& context) const {
  const int64_t until_ns = MonotonicNs() + kGateNs;
  while (gate_.load(std::memory_order_acquire) == &context && MonotonicNs() < until_ns) {
    usleep(50);
  }
}

bool CounterSampler::SeveralContexts() const {
  return contexts_[1].handle.load(std::memory_order_relaxed) != nullptr;
}

void CounterSampler::NoteUntraced(const Launch& launch) {
  if (launch.unit != capture::SampleUnit::kKernel || launch.kernel_name == nullptr) return;
  capture::UntracedKernelEvent event = UntracedKernelOf(launch, *api_, *driver_);
  const std::lock_guard<std::mutex> lock(mutex_);
  events_.untraced.push_back(std::move(event));
}

// --- Under busy_ ---------------------------------------------------------------------------------

// Leaves, unless a range is open now: then busy_ stays ours until it is closed.
void CounterSampler::SampleNext(Context& context, SampleSchedule::Entry* entry,
                                const Launch& launch, int64_t now_ns) {
  const size_t lane = LaneOf(context);
  const auto groups = static_cast<uint32_t>(context.plan.passes->groups.size());
  SampleSchedule::Decision decision =
      schedule_.Next(*entry, lane, groups, context.active.load(), now_ns);
  const bool samples = decision.action == SampleSchedule::Action::kSample;
  if (samples && context.samples.size() >= context.profiler->max_ranges()) {
    decision = {SampleSchedule::Action::kRotate, schedule_.AfterFull(lane, decision.group)};
  }
  if (decision.action == SampleSchedule::Action::kRotate) AskFor(context, decision.group);
  if (decision.action != SampleSchedule::Action::kSample || !context.started ||
      !Open(context, entry, launch, decision.group)) {
    Leave();
    return;
  }
  const SampleSchedule::Decision next = schedule_.Took(*entry, lane, decision.group, now_ns);
  if (next.action == SampleSchedule::Action::kRotate) {
    open_range.next_group = static_cast<int>(next.group);
  } else if (replays_) {
    open_range.next_group = static_cast<int>(decision.group);  // to be read, and anew
  }
}

void CounterSampler::BackOff(Context& context) {
  context.retry_after_ns =
      std::clamp(2 * context.retry_after_ns, kFirstBackoffNs, kLongestBackoffNs);
  context.not_before_ns = MonotonicNs() + context.retry_after_ns;
}

bool CounterSampler::Open(Context& context, SampleSchedule::Entry* entry, const Launch& launch,
                          uint32_t group) {
  const bool kernel = launch.unit == capture::SampleUnit::kKernel;
  const bool untraced = kernel && (replays_ || context.tracing[group] != Tracing::kTraced);
  const int64_t begin_ns = RealtimeNs();
  if (MonotonicNs() < context.not_before_ns) return false;
  if (!context.streams.IdleWithin(*driver_, kIdleWaitNs)) {
    BackOff(context);
    RecordInterval(ProfilerWork::kSample, begin_ns, RealtimeNs());
    return false;
  }
  context.retry_after_ns = 0;
  if (untraced) {
    if (!tracing_.Begin()) return false;
    NoteUntraced(launch);
  }
  open_entry_.store(entry);
  open_name_.store(launch.kernel_name);
  open_since_ns_.store(MonotonicNs());
  char name[16];
  std::snprintf(name, sizeof(name), "%zu", context.samples.size());
  const CUptiResult pushed = context.profiler->Push(name);
  if (pushed != CUPTI_SUCCESS) {
    open_since_ns_.store(0);
    if (untraced) tracing_.End();
    Fail(context, pushed, "open a counter range");
    return false;
  }
  context.samples.push_back(
      {entry, launch.unit, group, launch.correlation, launch.path, begin_ns, begin_ns});
  open_range = {id_, &context, launch.unit, launch.path, begin_ns, untraced, -1};
  return true;
}

void CounterSampler::CloseOpenRange() {
  Context& context = *open_range.context;
  open_range.sampler = 0;
  const CUptiResult popped = context.profiler->Pop();
  const CUptiResult traced = open_range.untraced ? tracing_.End() : CUPTI_SUCCESS;
  open_since_ns_.store(0);
  const int64_t end_ns = RealtimeNs();
  if (!context.samples.empty()) context.samples.back().end_ns = end_ns;
  RecordInterval(ProfilerWork::kSample, open_range.begin_ns, end_ns);
  if (popped != CUPTI_SUCCESS) Fail(context, popped, "close a counter range");
  if (traced != CUPTI_SUCCESS) Fail(context, traced, "go on recording kernels after a sample");
  const int next_group = std::exchange(open_range.next_group, -1);
  Leave();
  if (next_group >= 0) AskFor(context, static_cast<uint32_t>(next_group));
}

// --- At any time ---------------------------------------------------------------------------------

SampleSchedule::Entry* CounterSampler::FindSignature(const Launch& launch, size_t lane) {
  Signature signature = launch.signature;
  signature.range_matches = selection_.RangeMatches(launch.path);
  bool is_new = false;
  SampleSchedule::Entry* entry = schedule_.Find(HashOf(signature), &is_new);
  if (is_new) {
    entry->whole.store(launch.unit != capture::SampleUnit::kKernel);
    const bool range = launch.unit == capture::SampleUnit::kRange;
    entry->asked_for.store(range);
    schedule_.Judge(
        *entry, lane,
        range ? Exclusion::kNone
              : selection_.Judge(launch.kernel_name, signature.range_matches, launch.unit));
  }
  return entry;
}

void CounterSampler::OnContextDestroyed(CUcontext handle) {
  for (Context& context : contexts_) {
    if (context.handle.load(std::memory_order_acquire) != handle) continue;
    // What was not read by now is lost with the context; touching the profiler from a resource
    // callback is not allowed.
    const Phase before = context.phase.exchange(Phase::kClosed);
    if (before == Phase::kRunning && EnterWithin(kStopWaitNs)) {
      samples_failed_.fetch_add(context.samples.size());
      context.samples.clear();
      context.started = false;
      Leave();
    }
    context.handle.store(nullptr, std::memory_order_release);
  }
}

void CounterSampler::OnStreamDestroyed(CUcontext handle, CUstream stream) {
  for (Context& context : contexts_) {
    if (context.handle.load(std::memory_order_acquire) == handle) context.streams.Destroyed(stream);
  }
}

void CounterSampler::AskFor(Context& context, uint32_t group) {
  int none = -1;
  if (context.wanted.compare_exchange_strong(none, static_cast<int>(group))) {
    sem_post(&work_);  // async-signal-safe: no lock, no allocation
  }
}

CounterSampler::Context* CounterSampler::FindContext(CUcontext handle) {
  if (handle == nullptr) return nullptr;
  for (Context& context : contexts_) {
    const CUcontext known = context.handle.load(std::memory_order_acquire);
    if (known == handle) return &context;
    Phase expected = Phase::kFree;
    if (known == nullptr &&
        context.phase.compare_exchange_strong(expected, Phase::kNew, std::memory_order_acq_rel)) {
      context.handle.store(handle, std::memory_order_release);
      sem_post(&work_);
      return &context;
    }
  }
  too_many_contexts_.store(true, std::memory_order_relaxed);
  return nullptr;
}

bool CounterSampler::WithinBudget(int64_t now_ns) const {
  if (replays_) return true;  // who asks for replay pays for it
  const double allowed =
      options_.counter_budget_seconds * 1e9 +
      options_.counter_budget_percent / 100.0 * static_cast<double>(now_ns - start_ns_);
  const bool within = static_cast<double>(cost_ns_.load(std::memory_order_relaxed)) <= allowed;
  if (!within) paused_.store(true, std::memory_order_relaxed);
  return within;
}

bool CounterSampler::EnterWithin(int64_t timeout_ns) {
  const int64_t until_ns = MonotonicNs() + timeout_ns;
  while (!TryEnter()) {
    if (MonotonicNs() > until_ns) return false;
    sched_yield();
  }
  return true;
}

}  // namespace prof::cupti
