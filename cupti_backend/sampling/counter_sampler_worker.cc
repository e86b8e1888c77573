// SPDX-License-Identifier: Apache-2.0
//
// The sampler's own thread: plans passes, changes from one group to the next, reads the samples.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "cupti_backend/api/counter_errors.h"
#include "cupti_backend/sampling/counter_sampler.h"
#include "lib/capture/process/clock.h"
#include "lib/capture/process/exit_guard.h"
#include "lib/capture/process/thread_id.h"
#include "lib/capture/process/timed_wait.h"
#include "lib/capture/threads/thread_recorder.h"

namespace prof::cupti {
namespace {

using capture::MonotonicNs;
using capture::ProfilerWork;
using capture::RealtimeNs;

// A range that is open for so long holds the program up.
constexpr int64_t kHeldUpNs = 5'000'000'000;
constexpr int64_t kWatchNs = 1'000'000'000;

// Of the process: CUPTI has loaded what counters take, and has given some.
std::atomic<bool> profiler_loaded{false};

}  // namespace

CUptiResult CounterSampler::Rotate(Context& context, uint32_t group) {
  if (context.profiler == nullptr) {
    context.profiler = std::make_unique<RangeProfiler>(
        api_, context.handle.load(),
        replays_ ? RangeProfiler::Mode::kReplayedKernels : RangeProfiler::Mode::kUserRanges);
    const CUptiResult result = context.profiler->Enable(*context.plan.passes);
    if (result != CUPTI_SUCCESS) return result;
    context.phase.store(Phase::kRunning, std::memory_order_release);
  }
  if (const CUptiResult result = StopAndDecode(context); result != CUPTI_SUCCESS) return result;
  if (const CUptiResult result = context.profiler->Configure(context.plan.passes->groups[group]);
      result != CUPTI_SUCCESS) {
    return result;
  }
  if (const CUptiResult result = context.profiler->Start(); result != CUPTI_SUCCESS) return result;
  context.started = true;
  context.active.store(static_cast<int>(group));
  schedule_.BeginVisit(LaneOf(context), static_cast<uint32_t>(context.plan.passes->groups.size()),
                       group, MonotonicNs());
  return CUPTI_SUCCESS;
}

CUptiResult CounterSampler::StopAndDecode(Context& context) {
  if (!context.started) return CUPTI_SUCCESS;
  context.started = false;
  CUptiResult result = context.profiler->Stop();
  if (result != CUPTI_SUCCESS || context.samples.empty()) return result;
  size_t ranges = 0;
  result = context.profiler->Decode(&ranges);
  if (result != CUPTI_SUCCESS) {
    samples_failed_.fetch_add(context.samples.size());
    context.samples.clear();
    return result;
  }
  profiler_loaded.store(true);
  const PlannedGroup& group =
      context.plan.passes->groups[static_cast<size_t>(context.active.load())];
  std::vector<capture::CounterSampleEvent> read = ReadSamples(context, ranges, &schedule_);
  samples_failed_.fetch_add(context.samples.size() - std::min(context.samples.size(), read.size()));
  context.samples.clear();
  if (read.empty()) return CUPTI_SUCCESS;
  std::vector<PeakEvent> peaks = PeaksIn(group, context.plan.device, read.front().values);
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto& peak : peaks) events_.peaks.push_back(std::move(peak));
  for (auto& event : read) events_.samples.push_back(std::move(event));
  return CUPTI_SUCCESS;
}

void CounterSampler::Fail(Context& context, CUptiResult result, const char* action) {
  context.phase.store(Phase::kFailed, std::memory_order_release);
  samples_failed_.fetch_add(context.samples.size());
  context.samples.clear();
  context.started = false;
  const CounterProblem problem = ExplainCounterError(*api_, result, action);
  SetStatus(State::kUnavailable, static_cast<int>(result), problem.what, problem.fix);
}

void CounterSampler::RecordInterval(ProfilerWork work, int64_t begin_ns, int64_t end_ns) {
  cost_ns_.fetch_add(end_ns - begin_ns, std::memory_order_relaxed);
  const std::lock_guard<std::mutex> lock(mutex_);
  events_.intervals.push_back({work, capture::CurrentThreadId(), begin_ns, end_ns});
}

void CounterSampler::SetStatus(State state, int code, std::string what, std::string fix) {
  const std::lock_guard<std::mutex> lock(mutex_);
  status_ = {state, code, std::move(what), std::move(fix)};
}

// --- The worker ----------------------------------------------------------------------------------

void CounterSampler::RunWorker() {
  try {
    WorkUntilClosed();
  } catch (const std::exception& error) {
    for (Context& context : contexts_) SetPhaseUnlessClosed(context, Phase::kFailed);
    SetStatus(State::kDegraded, 0, std::string("sampling ended: ") + error.what(), "");
  }
}

void CounterSampler::SetPhaseUnlessClosed(Context& context, Phase phase) {
  Phase before = context.phase.load(std::memory_order_acquire);
  while (before != Phase::kClosed && !context.phase.compare_exchange_weak(before, phase)) {
  }
}

void CounterSampler::WorkUntilClosed() {
  while (true) {
    AwaitWork();
    Watch(MonotonicNs());
    if (closed_.load(std::memory_order_acquire)) return;
    for (Context& context : contexts_) {
      if (context.handle.load(std::memory_order_acquire) == nullptr) continue;  // being filled in
      Phase phase = context.phase.load(std::memory_order_acquire);
      const bool again = phase == Phase::kBusy && MonotonicNs() >= context.retry_ns;
      const bool is_new = phase == Phase::kNew || again;
      std::optional<capture::FirstAtExit> first_at_exit;
      if (!profiler_loaded.load() && (is_new || context.wanted.load() >= 0)) {
        first_at_exit.emplace();
      }
      if (is_new) {
        // Off the launching threads, but CUPTI holds up their calls meanwhile: it counts as ours.
        const int64_t begin_ns = RealtimeNs();
        const bool ready = Prepare(context);
        RecordInterval(ProfilerWork::kSetup, begin_ns, RealtimeNs());
        if (ready) {
          context.phase.compare_exchange_strong(phase, Phase::kReady);
          context.wanted.store(0);  // the first start is the long one: before it is asked for
        }
      }
      if (context.wanted.load() >= 0) RotateAsAsked(context);
    }
  }
}

// A launch that does not come back from its counter range: nothing can be done for it, but it is to
// be known, and not to happen again.
void CounterSampler::Watch(int64_t now_ns) {
  const int64_t since_ns = open_since_ns_.load();
  if (since_ns == 0 || now_ns - since_ns < kHeldUpNs) return;
  SampleSchedule::Entry* entry = open_entry_.load();
  if (entry == nullptr || entry->exclusion.load() == Exclusion::kHeldUp) return;
  const char* name = open_name_.load();
  selection_.Exclude(schedule_, *entry, Exclusion::kHeldUp, name);
  std::fprintf(
      stderr,
      "prof: %s has been under a counter range for %d s. If it waits for another kernel or "
      "for the host, leave it out of counters: --kernel, PROF_KERNEL\n",
      name != nullptr ? name : "a launch", static_cast<int>(kHeldUpNs / 1'000'000'000));
}

// Until there is something to do, busy counters are to be tried again, or it is time to look at
// what is open.
void CounterSampler::AwaitWork() {
  int64_t retry_ns = MonotonicNs() + kWatchNs;
  for (const Context& context : contexts_) {
    if (context.phase.load(std::memory_order_acquire) != Phase::kBusy) continue;
    retry_ns = std::min(retry_ns, context.retry_ns);
  }
  capture::WaitUntil(&work_, retry_ns);
}

// The counters of this context cannot be had, for ever or for now.
void CounterSampler::Refused(Context& context, const CounterProblem& problem) {
  SetStatus(State::kUnavailable, problem.code, problem.what, problem.fix);
  const bool busy = problem.code == CUPTI_ERROR_HARDWARE_BUSY;
  if (busy) {
    const int64_t now_ns = MonotonicNs();
    if (context.refusals == 0) context.busy_since_ns = now_ns;
    context.retry_ns = now_ns + CounterRetryNs(context.refusals++);
  }
  SetPhaseUnlessClosed(context, busy ? Phase::kBusy : Phase::kFailed);
}

void CounterSampler::NoteRecovery(Context& context) {
  if (std::exchange(context.refusals, 0) == 0) return;
  const std::string& left_out = context.plan.left_out;
  char waited[32];
  std::snprintf(waited, sizeof(waited), "%.1f s",
                static_cast<double>(MonotonicNs() - context.busy_since_ns) / 1e9);
  if (left_out.empty()) SetStatus(State::kWorking, 0, "", "");
  const std::lock_guard<std::mutex> lock(mutex_);
  events_.notices.push_back({capture::Severity::kInfo, capture::Subsystem::kCounters,
                             CUPTI_ERROR_HARDWARE_BUSY,
                             "another program had the GPU's counters for " + std::string(waited) +
                                 ": launches of that time were not sampled",
                             ""});
}

void CounterSampler::RotateAsAsked(Context& context) {
  if (!EnterWithin(kStopWaitNs)) {  // a launch that does not return: to be asked for again
    context.wanted.store(-1);
    return;
  }
  struct Leaving {
    ~Leaving() {
      sampler->gate_.store(nullptr, std::memory_order_release);
      context->wanted.store(-1);
      sampler->Leave();
    }
    CounterSampler* sampler;
    Context* context;
  } const leaving{this, &context};
  const Phase phase = context.phase.load(std::memory_order_acquire);
  if ((phase == Phase::kReady || phase == Phase::kRunning) && CloseGate(context)) {
    driver_->ctx_set_current(context.handle.load());
    const int64_t begin_ns = RealtimeNs();
    const CUptiResult result = Rotate(context, static_cast<uint32_t>(context.wanted.load()));
    RecordInterval(phase == Phase::kReady ? ProfilerWork::kSetup : ProfilerWork::kRotate, begin_ns,
                   RealtimeNs());
    if (result == CUPTI_ERROR_HARDWARE_BUSY) {
      samples_failed_.fetch_add(context.samples.size());
      context.samples.clear();
      context.started = false;
      context.active.store(-1);
      context.profiler->Disable();
      context.profiler.reset();  // nothing is held while waiting, and the next try begins anew
      Refused(context, ExplainCounterError(*api_, result, "start counting"));
    } else if (result != CUPTI_SUCCESS) {
      Fail(context, result, "start counting");
    } else {
      NoteRecovery(context);
    }
  }
}

// False when the context's work does not end: then it is left alone for a while.
bool CounterSampler::CloseGate(Context& context) {
  if (MonotonicNs() < context.not_before_ns) return false;
  if (!context.streams.several()) return true;
  gate_.store(&context, std::memory_order_release);
  if (context.streams.IdleWithin(*driver_, kIdleWaitNs)) return true;
  gate_.store(nullptr, std::memory_order_release);
  BackOff(context);
  return false;
}

bool CounterSampler::Prepare(Context& context) {
  ContextPlan& plan = context.plan;
  const CounterProblem problem = plans_.Prepare(context.handle.load(), &plan);
  if (!problem.what.empty()) {
    Refused(context, problem);
    return false;
  }
  if (!plan.left_out.empty()) {
    SetStatus(State::kDegraded, 0, "not sampled on this chip: " + plan.left_out,
              "check the names against this chip's metrics");
  }
  context.tracing.clear();
  uint64_t kernel_only = 0;
  for (const PlannedGroup& group : plan.passes->groups) {
    const Tracing tracing = TracingFor(group.metrics);
    if (tracing == Tracing::kNeverTraced) kernel_only |= uint64_t{1} << context.tracing.size();
    context.tracing.push_back(tracing);
  }
  schedule_.SetKernelOnly(LaneOf(context), kernel_only);
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto& group : plan.new_groups) events_.groups.push_back(std::move(group));
  plan.new_groups.clear();
  return true;
}

}  // namespace prof::cupti
