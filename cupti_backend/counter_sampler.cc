// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/counter_sampler.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <string_view>
#include <utility>

#include "cupti_backend/counter_errors.h"
#include "lib/capture/clock.h"
#include "lib/capture/quiet_thread.h"
#include "lib/capture/range_recorder.h"

namespace prof::cupti {
namespace {

using capture::MonotonicNs;
using capture::ProfilerWork;
using capture::RealtimeNs;

constexpr int64_t kStopWaitNs = 1'000'000'000;

// The range that this thread has open, between the enter and the exit of a launch.
struct OpenRange {
  void* context = nullptr;  // CounterSampler::Context
  int64_t begin_ns = 0;
  int next_group = -1;  // to be asked for when it is closed; -1: none
};
thread_local OpenRange open_range;

}  // namespace

CounterSampler::CounterSampler(const CuptiApi* api, const DriverApi* driver,
                               const SessionOptions& options)
    : api_(api),
      driver_(driver),
      options_(options),
      start_ns_(MonotonicNs()),
      plans_(api, driver, options),
      schedule_(static_cast<uint32_t>(options.samples_per_signature),
                static_cast<uint32_t>(options.skip_first_launches),
                static_cast<uint32_t>(options.sample_every)),
      selection_(options) {
  const bool wanted = options_.counters != Counters::kNone || !options_.metrics.empty();
  sem_init(&work_, 0, 0);
  if (!wanted) closed_.store(true);
  status_.state = wanted ? State::kWorking : State::kOff;
  if (wanted) worker_ = capture::StartQuietThread("prof-sampler", [this] { RunWorker(); });
}

CounterSampler::~CounterSampler() {
  closed_.store(true);
  sem_post(&work_);
  if (worker_.joinable()) worker_.join();
}

// --- Launching threads ---------------------------------------------------------------------------

void CounterSampler::OnLaunchEnter(const Launch& launch) {
  Context* context = FindContext(launch.context);
  if (context == nullptr || closed_.load(std::memory_order_acquire)) return;
  const Phase phase = context->phase.load(std::memory_order_acquire);
  if (phase == Phase::kFailed || phase == Phase::kClosed) return;

  const size_t lane = LaneOf(*context);
  SampleSchedule::Entry* entry = FindSignature(launch, lane);
  if (entry == nullptr) return;
  const bool chosen =
      entry->exclusion.load(std::memory_order_relaxed) == Exclusion::kNone && selection_.Admits();
  const int64_t now_ns = MonotonicNs();
  if (!schedule_.Considers(*entry, now_ns) || !chosen) return;
  // Launches before the first group is there count, too: they are the first of their signature.
  if ((phase != Phase::kReady && phase != Phase::kRunning) || !WithinBudget(now_ns)) return;

  // A launch that is only being captured into a graph does not run now.
  CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;
  if (driver_->stream_is_capturing(launch.stream, &capturing) != CUDA_SUCCESS ||
      capturing != CU_STREAM_CAPTURE_STATUS_NONE) {
    return;
  }
  if (!TryEnter()) return;
  const auto groups = static_cast<uint32_t>(context->plan.passes->groups.size());
  const int active = context->active.load();
  SampleSchedule::Decision decision = schedule_.Next(*entry, lane, groups, active, now_ns);
  const bool samples = decision.action == SampleSchedule::Action::kSample;
  if (samples && context->samples.size() >= RangeProfiler::kMaxRanges) {
    decision = {SampleSchedule::Action::kRotate, schedule_.AfterFull(lane, decision.group)};
  }
  if (decision.action == SampleSchedule::Action::kRotate) AskFor(*context, decision.group);
  if (decision.action != SampleSchedule::Action::kSample || !context->started) {
    Leave();
    return;
  }
  char name[16];
  std::snprintf(name, sizeof(name), "%zu", context->samples.size());
  const int64_t begin_ns = RealtimeNs();
  const CUptiResult pushed = context->profiler->Push(name);
  if (pushed != CUPTI_SUCCESS) {
    Fail(*context, pushed, "open a counter range");
    Leave();
    return;
  }
  context->samples.push_back(
      {entry, decision.group, launch.correlation, launch.path, begin_ns, begin_ns});
  const SampleSchedule::Decision next = schedule_.Took(*entry, lane, decision.group, now_ns);
  const bool leaves = next.action == SampleSchedule::Action::kRotate;
  // busy_ stays ours until the launch returns
  open_range = {context, begin_ns, leaves ? static_cast<int>(next.group) : -1};
}

void CounterSampler::OnLaunchExit() {
  if (open_range.context == nullptr) return;
  auto* context = static_cast<Context*>(open_range.context);
  open_range.context = nullptr;
  const CUptiResult popped = context->profiler->Pop();
  const int64_t end_ns = RealtimeNs();
  if (!context->samples.empty()) context->samples.back().end_ns = end_ns;
  RecordInterval(ProfilerWork::kSample, open_range.begin_ns, end_ns);
  if (popped != CUPTI_SUCCESS) Fail(*context, popped, "close a counter range");
  const int next_group = std::exchange(open_range.next_group, -1);
  Leave();
  if (next_group >= 0) AskFor(*context, static_cast<uint32_t>(next_group));
}

SampleSchedule::Entry* CounterSampler::FindSignature(const Launch& launch, size_t lane) {
  Signature signature = launch.signature;
  signature.range_matches = selection_.RangeMatches(launch.path);
  bool is_new = false;
  SampleSchedule::Entry* entry = schedule_.Find(HashOf(signature), &is_new);
  if (is_new) {
    schedule_.Judge(*entry, lane, selection_.Judge(launch.kernel_name, signature.range_matches));
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

// --- Under busy_ ---------------------------------------------------------------------------------

CUptiResult CounterSampler::Rotate(Context& context, uint32_t group) {
  if (context.profiler == nullptr) {
    context.profiler = std::make_unique<RangeProfiler>(api_, context.handle.load());
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
  const PlannedGroup& group =
      context.plan.passes->groups[static_cast<size_t>(context.active.load())];
  const uint8_t* image = context.profiler->counter_data();
  const size_t bytes = context.profiler->counter_data_bytes();
  std::vector<capture::CounterSampleEvent> decoded;
  for (size_t i = 0; i < ranges; ++i) {
    // By the name that was pushed, never by position: a dropped range would shift all others.
    const std::string name = context.plan.evaluator->RangeName(image, bytes, i);
    char* end = nullptr;
    const unsigned long slot = std::strtoul(name.c_str(), &end, 10);
    if (name.empty() || *end != '\0' || slot >= context.samples.size()) continue;
    const Sample& sample = context.samples[slot];
    capture::CounterSampleEvent event;
    event.values = context.plan.evaluator->Evaluate(image, bytes, i, group.metrics);
    if (event.values.empty()) continue;
    NoteClock(sample, group, event.values);
    event.group = context.plan.first_group_id + sample.group;
    event.context = context.plan.context_id;
    event.correlation = sample.correlation;
    event.path = sample.path;
    event.begin_ns = sample.begin_ns;
    event.end_ns = sample.end_ns;
    decoded.push_back(std::move(event));
  }
  samples_failed_.fetch_add(context.samples.size() -
                            std::min(context.samples.size(), decoded.size()));
  context.samples.clear();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!decoded.empty()) NotePeaks(context, group, decoded.front().values);
  for (auto& event : decoded) events_.samples.push_back(std::move(event));
  return CUPTI_SUCCESS;
}

void CounterSampler::NoteClock(const Sample& sample, const PlannedGroup& group,
                               const std::vector<double>& values) {
  const auto at = std::find(group.metrics.begin(), group.metrics.end(), kClockMetric);
  if (at != group.metrics.end()) {
    schedule_.NoteClock(*sample.signature, values[static_cast<size_t>(at - group.metrics.begin())]);
  }
}

void CounterSampler::NotePeaks(const Context& context, const PlannedGroup& group,
                               const std::vector<double>& values) {
  constexpr std::string_view kSuffix = ".peak_sustained";
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string& metric = group.metrics[i];
    const bool peak = metric.size() > kSuffix.size() &&
                      metric.compare(metric.size() - kSuffix.size(), kSuffix.size(), kSuffix) == 0;
    if (peak && values[i] > 0) events_.peaks.push_back({context.plan.device, metric, values[i]});
  }
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
  while (true) {
    AwaitWork();
    if (closed_.load(std::memory_order_acquire)) return;
    for (Context& context : contexts_) {
      if (context.handle.load(std::memory_order_acquire) == nullptr) continue;  // being filled in
      Phase phase = context.phase.load(std::memory_order_acquire);
      const bool again = phase == Phase::kBusy && MonotonicNs() >= context.retry_ns;
      if (phase == Phase::kNew || again) {
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

// Until there is something to do, or busy counters are to be tried again.
void CounterSampler::AwaitWork() {
  int64_t retry_ns = std::numeric_limits<int64_t>::max();
  for (const Context& context : contexts_) {
    if (context.phase.load(std::memory_order_acquire) != Phase::kBusy) continue;
    retry_ns = std::min(retry_ns, context.retry_ns);
  }
  const timespec until = {static_cast<time_t>(retry_ns / 1'000'000'000),
                          static_cast<long>(retry_ns % 1'000'000'000)};
  while (sem_clockwait(&work_, CLOCK_MONOTONIC, &until) != 0 && errno == EINTR) {
  }
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
  Phase before = context.phase.load(std::memory_order_acquire);
  while (before != Phase::kClosed &&
         !context.phase.compare_exchange_weak(before, busy ? Phase::kBusy : Phase::kFailed)) {
  }
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
  const Phase phase = context.phase.load(std::memory_order_acquire);
  if (phase == Phase::kReady || phase == Phase::kRunning) {
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
  context.wanted.store(-1);
  Leave();
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
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto& group : plan.new_groups) events_.groups.push_back(std::move(group));
  plan.new_groups.clear();
  return true;
}

// --- The collector thread ------------------------------------------------------------------------

bool CounterSampler::SynchronizeContexts() {
  bool ok = true;
  for (Context& context : contexts_) {
    const CUcontext handle = context.handle.load(std::memory_order_acquire);
    if (handle == nullptr) continue;
    ok &= driver_->ctx_set_current(handle) == CUDA_SUCCESS &&
          driver_->ctx_synchronize() == CUDA_SUCCESS;
  }
  return ok;
}

std::vector<int> CounterSampler::Devices() {
  std::vector<int> devices;
  for (Context& context : contexts_) {
    const CUcontext handle = context.handle.load(std::memory_order_acquire);
    CUdevice device = 0;
    if (handle == nullptr || driver_->ctx_set_current(handle) != CUDA_SUCCESS ||
        driver_->ctx_get_device(&device) != CUDA_SUCCESS) {
      continue;
    }
    if (std::find(devices.begin(), devices.end(), device) == devices.end()) {
      devices.push_back(device);
    }
  }
  return devices;
}

SamplerEvents CounterSampler::TakeEvents() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(events_, {});
}

void CounterSampler::WriteNotices() {
  std::vector<capture::NoticeEvent> notices = selection_.Notices(schedule_);
  const uint32_t unfinished = schedule_.unfinished();
  if (paused_.load(std::memory_order_relaxed) && unfinished > 0) {
    char budget[64];
    std::snprintf(budget, sizeof(budget), "%g s + %g %%", options_.counter_budget_seconds,
                  options_.counter_budget_percent);
    notices.push_back({capture::Severity::kInfo, capture::Subsystem::kCounters, 0,
                       "counter sampling paused at its budget (" + std::string(budget) +
                           "): " + std::to_string(unfinished) + " of " +
                           std::to_string(schedule_.signatures()) +
                           " kernel signatures have fewer samples than asked for",
                       "run longer, or raise it: --budget, --budget-seconds"});
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto& notice : notices) events_.notices.push_back(std::move(notice));
}

void CounterSampler::Stop() {
  if (closed_.exchange(true)) return;
  WriteNotices();
  sem_post(&work_);
  if (worker_.joinable()) worker_.join();
  if (!EnterWithin(kStopWaitNs)) {
    SetStatus(State::kDegraded, 0, "a launch was still under way when the recording ended", "");
    return;
  }
  for (Context& context : contexts_) {
    const Phase phase = context.phase.load();
    if (phase == Phase::kFailed && context.profiler != nullptr) context.profiler->Disable();
    if (phase != Phase::kRunning) continue;
    driver_->ctx_set_current(context.handle.load());
    const CUptiResult result = StopAndDecode(context);
    if (result != CUPTI_SUCCESS) Fail(context, result, "read the last counters");
    context.profiler->Disable();
    context.phase.store(Phase::kClosed);
  }
  Leave();
}

SubsystemStatus CounterSampler::status() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (status_.state == State::kWorking && too_many_contexts_.load(std::memory_order_relaxed)) {
    return {State::kDegraded, 0,
            "counters are sampled in the first " + std::to_string(kMaxContexts) +
                " CUDA contexts of a recording; this program has more",
            ""};
  }
  return status_;
}

bool CounterSampler::Complete() const {
  if (closed_.load(std::memory_order_relaxed)) return true;
  bool usable = false;
  for (const Context& context : contexts_) {
    const Phase phase = context.phase.load(std::memory_order_relaxed);
    usable |= phase == Phase::kNew || phase == Phase::kReady || phase == Phase::kRunning;
  }
  // Nothing will come when every context failed, and nobody can say when, if another program holds
  // the counters; before the first launch nothing is complete.
  const Phase first = contexts_[0].phase.load(std::memory_order_relaxed);
  const bool failed = first == Phase::kFailed || first == Phase::kBusy;
  // With a share of the run time more budget comes; without one this was all.
  const bool spent = options_.counter_budget_percent <= 0 && !WithinBudget(MonotonicNs());
  return usable ? schedule_.Complete(MonotonicNs()) || selection_.Exhausted() || spent : failed;
}

}  // namespace prof::cupti
