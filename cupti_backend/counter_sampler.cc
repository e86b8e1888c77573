// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/counter_sampler.h"

#include <sched.h>
#include <time.h>
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
// How long a launching thread waits for the GPU to be idle before it opens a range, and how long
// the sampler leaves the context alone after it has waited in vain, the first time and at most.
constexpr int64_t kIdleWaitNs = 200'000'000;
constexpr int64_t kFirstBackoffNs = 1'000'000'000, kLongestBackoffNs = 60'000'000'000;
// A range that is open for so long holds the program up.
constexpr int64_t kHeldUpNs = 5'000'000'000;
constexpr int64_t kWatchNs = 1'000'000'000;
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
std::atomic<uint32_t> last_sampler{0};

// Marks the signatures of ranges that are counted as a whole.
const char kRangeSignature = 0;

}  // namespace

CounterSampler::CounterSampler(const CuptiApi* api, const DriverApi* driver,
                               const SessionOptions& options)
    : api_(api),
      driver_(driver),
      options_(options),
      id_(last_sampler.fetch_add(1, std::memory_order_relaxed) + 1),
      start_ns_(MonotonicNs()),
      replays_(options.replay == Replay::kKernel),
      plans_(api, driver, options),
      // A replayed launch gives everything at once, and there may be no second one.
      schedule_(replays_ ? 1 : static_cast<uint32_t>(options.samples_per_signature),
                replays_ ? 0 : static_cast<uint32_t>(options.skip_first_launches),
                static_cast<uint32_t>(options.sample_every)),
      selection_(options),
      counted_ranges_(options.counted_ranges),
      tracing_(api) {
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
  const bool may_lack_record = tracing_.OnEnter();
  Context* context = FindContext(launch.context);
  if (context == nullptr) return;
  if (may_lack_record) NoteUntraced(*context, launch);
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
  // Launches before the first group is there count, too: they are the first of their signature.
  if ((phase != Phase::kReady && phase != Phase::kRunning) || !WithinBudget(now_ns)) return;

  // A launch that is only being captured into a graph does not run now.
  CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;
  if (driver_->stream_is_capturing(launch.stream, &capturing) != CUDA_SUCCESS ||
      capturing != CU_STREAM_CAPTURE_STATUS_NONE) {
    return;
  }
  if (!EndsByItself(*context, launch, entry)) return;
  if (TryEnter()) SampleNext(*context, entry, launch, now_ns);
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
      overlaps_.Ask(context.plan.context_id, launch.correlation, entry)) {
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

void CounterSampler::NoteUntraced(const Context& context, const Launch& launch) {
  if (launch.unit != capture::SampleUnit::kKernel || launch.kernel_name == nullptr) return;
  capture::UntracedKernelEvent event;
  event.name = launch.kernel_name;
  event.grid = launch.signature.grid;
  event.block = launch.signature.block;
  event.dynamic_shared_bytes = launch.signature.dynamic_shared_bytes;
  const auto attribute = [&](CUfunction_attribute which) -> uint32_t {
    int value = 0;
    // A launch takes a CUfunction, or a CUkernel in its place.
    void* launched = const_cast<void*>(launch.signature.function);
    if (driver_->func_get_attribute(&value, which, static_cast<CUfunction>(launched)) !=
            CUDA_SUCCESS &&
        driver_->kernel_get_attribute(&value, which, static_cast<CUkernel>(launched),
                                      std::max(context.plan.device, 0)) != CUDA_SUCCESS) {
      return 0;
    }
    return static_cast<uint32_t>(std::max(value, 0));
  };
  event.static_shared_bytes = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  event.registers_per_thread = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS);
  event.local_bytes_per_thread = attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  event.device = static_cast<uint32_t>(std::max(context.plan.device, 0));
  event.context = context.plan.context_id;
  api_->get_stream_id(launch.context, launch.stream, 0, &event.stream);
  event.correlation = launch.correlation;
  event.launch_ns = RealtimeNs();
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
    NoteUntraced(context, launch);
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

// --- Launching threads, again --------------------------------------------------------------------

SampleSchedule::Entry* CounterSampler::FindSignature(const Launch& launch, size_t lane) {
  Signature signature = launch.signature;
  signature.range_matches = selection_.RangeMatches(launch.path);
  bool is_new = false;
  SampleSchedule::Entry* entry = schedule_.Find(HashOf(signature), &is_new);
  if (is_new) {
    entry->whole.store(launch.unit != capture::SampleUnit::kKernel);
    const bool range = launch.unit == capture::SampleUnit::kRange;
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

// --- The worker, under busy_ ---------------------------------------------------------------------

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
  while (true) {
    AwaitWork();
    Watch(MonotonicNs());
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
    gate_.store(nullptr, std::memory_order_release);
  }
  context.wanted.store(-1);
  Leave();
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
  for (SampleSchedule::Entry* entry : overlaps_.Resolve(MonotonicNs())) {
    selection_.Exclude(schedule_, *entry, Exclusion::kNeverAlone, nullptr);
  }
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
