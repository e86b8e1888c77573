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
#include "cupti_backend/api/device_info.h"
#include "cupti_backend/api/relaxed_capture.h"
#include "lib/capture/environment.h"
#include "lib/capture/process/clock.h"

namespace prof::cupti {
namespace {

using capture::MonotonicNs;
using capture::ProfilerWork;
using capture::RealtimeNs;

// A look at a GPU that is not quiet takes at most 1 % of the time.
constexpr int64_t kLooksInTime = 100, kLongestLookAwayNs = 10'000'000;
// How long launches of other threads may take to reach the driver's queue. They take some us.
constexpr int64_t kDrainNs = 100'000;
// How long a launch waits at a gate that only keeps a sample pure. The sampled kernel may wait for
// what its thread is about to do.
constexpr int64_t kHoldNs = 20'000'000;
// When to look again at a GPU on which a group could not be changed.
constexpr int64_t kChangeRetryNs = 2'000'000;
// How long the end of a recording waits for work that may wait for the host.
constexpr int64_t kFinishWaitNs = 2'000'000'000;
// To let go of the hardware can wait for the next time that it is tried.
constexpr int64_t kReleaseWaitNs = 20'000'000;
// What the budget pays at most for a start while the GPU has work: that can take seconds, but the
// GPU is busy meanwhile. Without work most took 0.14 to 0.22 s, and some 0.6 s (H200, H100).
constexpr int64_t kLongestStartNs = 300'000'000;
// A replayed kernel may run once, so its launch waits for the GPU.
constexpr int64_t kReplayIdleWaitNs = 200'000'000;
constexpr int64_t kLookNs = 200'000;  // between two looks of a thread that waits
// The first Enable and Start of a context take up to 1.5 s.
constexpr int64_t kCloseWaitNs = 3'000'000'000;
// Replaying cannot wait for the next launch, so the first one waits for us.
constexpr int64_t kReplayReadyNs = 10'000'000'000;
// A budget that is used up for longer does not come back soon.
constexpr int64_t kUsedUpNs = 10'000'000'000;

// Opens the gate at the end of a scope, also when memory runs out in it.
struct OpensGate {
  ~OpensGate() { gate->Open(); }
  LaunchGate* gate;
};

// Makes a context current for a scope: a default stream is that of the current one.
class MadeCurrent {
 public:
  MadeCurrent(const DriverApi& driver, CUcontext context) : driver_(driver) {
    known_ = driver.ctx_get_current(&before_) == CUDA_SUCCESS;
    (void)driver.ctx_set_current(context);
  }
  ~MadeCurrent() {
    if (known_) (void)driver_.ctx_set_current(before_);
  }
  MadeCurrent(const MadeCurrent&) = delete;
  MadeCurrent& operator=(const MadeCurrent&) = delete;

 private:
  const DriverApi& driver_;
  CUcontext before_ = nullptr;
  bool known_ = false;
};

}  // namespace

// --- Any thread ----------------------------------------------------------------------------------

ContextSampler::Use::Use(ContextSampler* context)
    : context_(context),
      open_(context->uses_.fetch_add(1, std::memory_order_seq_cst) >= 0 &&
            context->phase_.load(std::memory_order_seq_cst) != Phase::kClosed) {}

// The handle takes the slot: a thread that comes with the same one meanwhile finds this slot, and
// none of its own.
bool ContextSampler::Claim(CUcontext handle) {
  if (phase() != Phase::kFree) return this->handle() == handle;
  // Before its counters are planned: its launches' records have this id.
  uint32_t id = 0;
  const bool has_id = parts_->api->get_context_id(handle, &id) == CUPTI_SUCCESS;
  CUcontext none = nullptr;
  if (!handle_.compare_exchange_strong(none, handle, std::memory_order_acq_rel)) {
    return none == handle;
  }
  if (has_id) context_id_.store(id);
  Phase expected = Phase::kFree;
  if (!phase_.compare_exchange_strong(expected, Phase::kNew, std::memory_order_acq_rel)) {
    handle_.store(nullptr, std::memory_order_release);  // another context had the slot meanwhile
    return false;
  }
  parts_->work.Post();
  return true;
}

void ContextSampler::RequestGroup(uint32_t group) {
  int none = -1;
  if (wanted_.compare_exchange_strong(none, static_cast<int>(group))) parts_->work.Post();
}

bool ContextSampler::AwaitFirstGroup() {
  const int64_t until_ns = MonotonicNs() + kReplayReadyNs;
  while (true) {
    const Phase now = phase();
    if (now == Phase::kFailed || now == Phase::kClosed) return false;
    if (now != Phase::kFree && now != Phase::kNew && !awaits_group()) return true;
    // While a stream is captured no group is changed.
    if (parts_->takes_none.load(std::memory_order_acquire) || parts_->captures.active() ||
        waited_in_vain_.load(std::memory_order_relaxed)) {
      return false;
    }
    if (MonotonicNs() > until_ns) {
      waited_in_vain_.store(true, std::memory_order_relaxed);
      return false;
    }
    usleep(200);
  }
}

void ContextSampler::Close() {
  // What was not read by now is lost with the context; touching the profiler from a resource
  // callback is not allowed.
  const Phase before = phase_.exchange(Phase::kClosed, std::memory_order_seq_cst);
  const int64_t until_ns = MonotonicNs() + kCloseWaitNs;
  while (uses_.load(std::memory_order_seq_cst) != 0 && MonotonicNs() < until_ns) usleep(100);
  if (Prepared(before)) {
    const HardwareLease lease = parts_->hardware.TakeWithin(SamplerParts::kLaunchWaitNs);
    if (lease) counters_.LoseSamples(lease);
  }
  handle_.store(nullptr, std::memory_order_release);
}

int ContextSampler::device() {
  const int known = device_.load(std::memory_order_relaxed);
  if (known >= 0) return known;
  const Use use(this);
  CUdevice device = -1;
  if (!use || parts_->driver->ctx_set_current(handle()) != CUDA_SUCCESS ||
      parts_->driver->ctx_get_device(&device) != CUDA_SUCCESS) {
    return -1;
  }
  device_.store(device, std::memory_order_relaxed);
  return device;
}

bool ContextSampler::Synchronize(const std::atomic<bool>& given_up) {
  constexpr int64_t kLongestCaptureNs = 2'000'000'000;
  return parts_->captures.EnterBetween(kLongestCaptureNs, given_up, [&] {
    const Use use(this);
    if (!use) return true;
    const RelaxedCapture relaxed(*parts_->driver);
    return parts_->driver->ctx_set_current(handle()) == CUDA_SUCCESS &&
           parts_->driver->ctx_synchronize() == CUDA_SUCCESS;
  });
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
  const CaptureWatch::Hold no_captures(&parts_->captures);
  if (!no_captures) return false;
  const RelaxedCapture relaxed(*parts_->driver);
  const bool kernel = launch.unit == capture::SampleUnit::kKernel;
  const bool untraced = kernel && (parts_->replays || tracing_[group] != Tracing::kTraced);
  const bool range = launch.unit == capture::SampleUnit::kRange;  // it has no stream
  // Around a launch the gate is closed in any case: what another thread launches to the same stream
  // would be in the sample.
  other_work_.store(false, std::memory_order_relaxed);
  const bool quiet = parts_->replays ? CloseGateWithin(kReplayIdleWaitNs, Closing::kAlways)
                     : range         ? CloseGate(Waits::kForAll, nullptr)
                             : CloseGate(Waits::kForStream, launch.stream, Closing::kAlways);
  if (!quiet) return false;
  const int64_t begin_ns = RealtimeNs();
  if (untraced) {
    if (!parts_->tracing.Begin()) {
      parts_->gate.Open();
      return false;
    }
    parts_->AddUntraced(launch);
  }
  parts_->held_up.BeginRange(entry, launch.kernel_name, MonotonicNs());
  const CUptiResult pushed = counters_.Push(
      lease, {entry, launch.unit, group, launch.correlation, launch.path, begin_ns, begin_ns});
  if (range || pushed != CUPTI_SUCCESS) parts_->gate.Open();  // a range takes as long as it takes
  if (pushed != CUPTI_SUCCESS) {
    parts_->held_up.EndRange();
    if (untraced) {
      parts_->tracing.End();
      parts_->launches_untraced.fetch_sub(1, std::memory_order_relaxed);
    }
    Fail(lease, pushed, "open a counter range");
    return false;
  }
  open_ = {begin_ns, untraced};
  return true;
}

bool ContextSampler::CloseRange(const HardwareLease& lease) {
  const RelaxedCapture relaxed(*parts_->driver);
  const CUptiResult popped = counters_.Pop(lease);
  const CUptiResult traced = open_.untraced ? parts_->tracing.End() : CUPTI_SUCCESS;
  parts_->gate.Open();  // what waits at it is traced
  parts_->held_up.EndRange();
  const int64_t end_ns = RealtimeNs();
  counters_.EndSample(lease, end_ns);
  const bool spoilt = other_work_.load(std::memory_order_relaxed);
  if (spoilt) counters_.SpoilSample(lease);
  if (popped != CUPTI_SUCCESS) Fail(lease, popped, "close a counter range");
  if (traced != CUPTI_SUCCESS) Fail(lease, traced, "go on recording kernels after a sample");
  parts_->AddInterval(ProfilerWork::kSample, open_.begin_ns, end_ns);
  return !spoilt;
}

bool ContextSampler::CloseAtEnd(const HardwareLease& lease) {
  const Use use(this);
  if (!use) return false;
  const MadeCurrent current(*parts_->driver, handle());
  if (!CloseGateWithin(kReleaseWaitNs)) return false;
  (void)CloseRange(lease);
  counters_.SpoilSample(lease);  // of a part of its range
  return true;
}

// All work that the GPU has now ends by itself, or has ended.
bool ContextSampler::EndsByItself() {
  return !streams_.Doubtful(parts_->policy.records().LastEnded(context_id())) ||
         streams_.Idle(*parts_->driver);
}

bool ContextSampler::IsQuiet(Waits waits, CUstream own) {
  const bool others_idle = waits == Waits::kForAll || !streams_.several() ||
                           streams_.Idle(*parts_->driver, StreamWatch::Scope::kOtherStreams, own);
  return others_idle && EndsByItself();
}

// CUPTI may wait for the GPU now. Where the gate is closed, nothing comes meanwhile. Asks first, so
// that a busy GPU holds up no launch.
bool ContextSampler::CloseGate(Waits waits, CUstream own, Closing closing) {
  const int64_t begin_ns = MonotonicNs();
  if (busy(begin_ns)) return false;
  bool quiet = IsQuiet(waits, own);
  if (quiet && (closing == Closing::kAlways || streams_.several())) {
    const bool needed = streams_.several() || parts_->replays;
    quiet = parts_->gate.CloseFor(this, kDrainNs, needed ? LaunchGate::kLongestWaitNs : kHoldNs);
    if (quiet && !IsQuiet(waits, own)) {
      parts_->gate.Open();
      quiet = false;
    }
  }
  if (quiet) return true;
  const int64_t end_ns = MonotonicNs();
  look_again_ns_.store(end_ns + std::min(kLooksInTime * (end_ns - begin_ns), kLongestLookAwayNs),
                       std::memory_order_relaxed);
  return false;
}

bool ContextSampler::CloseGateWithin(int64_t patience_ns, Closing closing) {
  const int64_t until_ns = MonotonicNs() + patience_ns;
  while (!CloseGate(Waits::kForAll, nullptr, closing)) {
    if (MonotonicNs() > until_ns || phase() == Phase::kClosed) return false;
    usleep(kLookNs / 1000);
  }
  return true;
}

void ContextSampler::Fail(const HardwareLease& lease, CUptiResult result, const char* action) {
  SetPhaseUnlessClosed(Phase::kFailed);
  counters_.LoseSamples(lease);
  NoteCounted(false);
  parts_->outbox.RefuseContext(ExplainCounterError(*parts_->api, result, action));
}

void ContextSampler::NoteCounted(bool counted) {
  if (counted_.exchange(counted) != counted) parts_->outbox.AddCounted(counted ? 1 : -1);
}

// --- The worker ----------------------------------------------------------------------------------

bool ContextSampler::NeedsPreparation(int64_t now_ns) const {
  const Phase now = phase();
  return now == Phase::kNew || (now == Phase::kBusy && now_ns >= retry_ns_);
}

int64_t ContextSampler::retry_ns() const {
  if (phase() == Phase::kBusy) return retry_ns_;
  if (!awaits_group()) return std::numeric_limits<int64_t>::max();
  return phase() == Phase::kRunning ? change_ns_ : std::max(change_ns_, turn_.retry_ns());
}

void ContextSampler::Prepare() {
  const Use use(this);
  Phase before = phase();
  if (before != Phase::kNew && before != Phase::kBusy) return;  // closed meanwhile
  const int64_t begin_ns = RealtimeNs();
  const bool planned = Plan();
  const int64_t end_ns = RealtimeNs();
  // By need the first launches decide whether the hardware is wanted at all. Triage has loaded what
  // holds launches up by then, and to plan holds up none.
  const bool by_need = parts_->policy.by_need();
  // Off the launching threads, but CUPTI holds up their calls meanwhile.
  if (!by_need || !parts_->policy.triage_works()) {
    parts_->AddInterval(ProfilerWork::kSetup, begin_ns, end_ns);
  }
  if (!planned) return;
  // The first start is the long one: before a launch wants it. Requested before the context is
  // ready: a launch that awaits its first group finds no moment without both.
  if (!by_need) wanted_.store(0);
  if (!phase_.compare_exchange_strong(before, by_need ? Phase::kReleased : Phase::kReady)) {
    wanted_.store(-1);  // closed meanwhile
  }
}

bool ContextSampler::Plan() {
  // Where triage counts, the counters are there.
  const Availability availability =
      parts_->policy.triage_works() ? Availability::kAssumed : Availability::kAsked;
  if (const std::optional<Problem> problem =
          parts_->plans.Prepare(handle_.load(), availability, &plan_)) {
    Refuse(*problem);
    return false;
  }
  if (!plan_.left_out.empty()) ReportLeftOut();
  turn_.Open(capture::SharedFolderFromEnvironment(), UuidOf(*parts_->driver, plan_.device));
  tracing_.clear();
  std::vector<NeedSchedule::Group> facts;
  for (const PlannedGroup& group : plan_.passes->groups) {
    tracing_.push_back(TracingFor(group.metrics));
    facts.push_back({group.answers, ChangeCostNs(group.metrics), SampleCostNs(group.cost),
                     tracing_.back() == Tracing::kNeverTraced});
  }
  parts_->outbox.Add(std::exchange(plan_.new_groups, {}));
  // The schedule is read by whoever has the hardware. Without a lease there is a launch that does
  // not return: to be planned again.
  const HardwareLease lease = parts_->hardware.TakeWithin(SamplerParts::kLaunchWaitNs);
  if (!lease) return false;
  parts_->policy.SetGroups(slot_, facts);
  return true;
}

void ContextSampler::ReportLeftOut() {
  parts_->outbox.SetStatus(State::kDegraded, {0, "not sampled on this chip: " + plan_.left_out,
                                              "check the names against this chip's metrics"});
}

void ContextSampler::ChangeGroup() {
  const Use use(this);
  const HardwareLease lease = parts_->hardware.TakeWithin(SamplerParts::kLaunchWaitNs);
  // Without a lease there is a launch that does not return: to be requested again.
  if (lease && use && Prepared(phase())) {
    (void)parts_->driver->ctx_set_current(handle());  // whose default stream is asked for
    const CaptureWatch::Hold no_captures(&parts_->captures);
    if (!no_captures || !CloseGate(Waits::kForAll, nullptr)) {
      const int64_t now_ns = MonotonicNs();
      change_ns_ = now_ns + kChangeRetryNs;
      if (phase() != Phase::kRunning && turn_.IsOver(now_ns)) turn_.Give(now_ns);
      return;
    }
    const OpensGate at_end{&parts_->gate};
    Change(lease);
  }
  wanted_.store(-1);
  if (phase() != Phase::kRunning) turn_.Give(MonotonicNs());
}

void ContextSampler::Change(const HardwareLease& lease) {
  const Phase before = phase();
  const bool enabled = !counters_.enabled(lease);
  CUptiResult result = Enable(lease);
  if (result == CUPTI_SUCCESS) {
    const bool idle = streams_.Idle(*parts_->driver);
    const int64_t begin_ns = RealtimeNs();
    result = counters_.Count(lease, static_cast<uint32_t>(wanted_.load()));
    parts_->AddInterval(before == Phase::kReady ? ProfilerWork::kSetup : ProfilerWork::kRotate,
                        begin_ns, RealtimeNs(),
                        idle ? std::numeric_limits<int64_t>::max() : kLongestStartNs);
    if (enabled) running_since_ns_ = MonotonicNs();
  }
  if (phase() == Phase::kClosed) return;  // whatever came of it
  if (result == CUPTI_ERROR_HARDWARE_BUSY) {
    counters_.Reset(lease);  // nothing is held while waiting, and the next try begins afresh
    Refuse(ExplainCounterError(*parts_->api, result, "start counting"));
  } else if (result != CUPTI_SUCCESS) {
    Fail(lease, result, "start counting");
  } else {
    waited_in_vain_.store(false, std::memory_order_relaxed);
    ReportRecovery();
    NoteCounted(true);
  }
}

// On an H200 65 ms of prof's own thread, for the sizes of all groups. The program's launches wait
// for it only where the gate is closed, with several streams: there it is a part of the budget.
CUptiResult ContextSampler::Enable(const HardwareLease& lease) {
  if (parts_->driver->ctx_set_current(handle()) != CUDA_SUCCESS) {
    return CUPTI_ERROR_INVALID_CONTEXT;
  }
  if (!counters_.enabled(lease)) {
    const int64_t begin_ns = RealtimeNs();
    const CUptiResult result = counters_.Enable(lease, handle());
    if (streams_.several()) {
      parts_->AddInterval(ProfilerWork::kSetup, begin_ns, RealtimeNs());
    } else {
      parts_->outbox.Add(ProfilerWork::kSetup, begin_ns, RealtimeNs());
    }
    if (result != CUPTI_SUCCESS) return result;
    SetPhaseUnlessClosed(Phase::kRunning);
  }
  return phase() == Phase::kClosed ? CUPTI_ERROR_INVALID_CONTEXT : CUPTI_SUCCESS;
}

void ContextSampler::Withdraw() {
  if (phase() == Phase::kRunning || wanted_.exchange(-1) < 0) return;
  turn_.Give(MonotonicNs());
}

bool ContextSampler::HasTurn(int64_t now_ns) { return turn_.Take(now_ns); }

bool ContextSampler::IsToRelease(int64_t now_ns) const {
  if (phase() != Phase::kRunning || parts_->replays || parts_->abandoned.load()) return false;
  if (parts_->takes_none.load(std::memory_order_acquire)) return true;
  if (parts_->policy.by_need() && parts_->turns.urgent()) return true;
  if (now_ns - running_since_ns_ < DeviceTurn::kTurnNs) return false;
  const SamplingPolicy& policy = parts_->policy;
  const int64_t patience_ns = policy.by_need() ? DeviceTurn::kTurnNs : kUsedUpNs;
  const bool done =
      policy.by_need() ? !policy.WantedOfLate(slot_, now_ns) : policy.Complete(now_ns);
  // Nothing can be sampled now, and PM sampling could.
  const bool idle = policy.by_need() && !parts_->budget.Allows(now_ns) &&
                    parts_->turns.Wanted(HardwareTurns::Owner::kTriage);
  return done || idle || parts_->budget.UsedUpFor(now_ns) > patience_ns || turn_.IsOver(now_ns);
}

void ContextSampler::Release() {
  const Use use(this);
  const HardwareLease lease = parts_->hardware.TakeWithin(SamplerParts::kLaunchWaitNs);
  const CaptureWatch::Hold no_captures(&parts_->captures);
  if (!lease || !use || phase() != Phase::kRunning || !no_captures) return;
  if (parts_->driver->ctx_set_current(handle()) != CUDA_SUCCESS) return;
  if (!CloseGateWithin(kReleaseWaitNs)) return;
  const OpensGate at_end{&parts_->gate};
  const int64_t begin_ns = RealtimeNs();
  const CUptiResult result = counters_.StopAndDecode(lease);
  if (result != CUPTI_SUCCESS) {
    Fail(lease, result, "let go of the counters");
  } else {
    Phase running = Phase::kRunning;
    phase_.compare_exchange_strong(running, Phase::kReleased);
  }
  counters_.Reset(lease);
  turn_.Give(MonotonicNs());
  parts_->AddInterval(ProfilerWork::kRotate, begin_ns, RealtimeNs());
}

// This context has no counters, for good or for now.
void ContextSampler::Refuse(const Problem& problem) {
  NoteCounted(false);
  parts_->outbox.RefuseContext(problem);
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
  if (plan_.left_out.empty()) {
    parts_->outbox.SetStatus(State::kWorking, {});
  } else {
    ReportLeftOut();
  }
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
  const Use use(this);
  const Phase before = phase();
  if (before == Phase::kFailed) counters_.Disable(lease);
  if (before != Phase::kRunning) {
    turn_.Give(MonotonicNs());
    return;
  }
  const RelaxedCapture relaxed(*parts_->driver);
  if (parts_->driver->ctx_set_current(handle()) != CUDA_SUCCESS) {
    Fail(lease, CUPTI_ERROR_INVALID_CONTEXT, "read the last counters");
    return;
  }
  if (!CloseGateWithin(kFinishWaitNs)) {
    LeaveHardware(lease);
    return;
  }
  const OpensGate at_end{&parts_->gate};
  const CUptiResult result = counters_.StopAndDecode(lease);
  if (result != CUPTI_SUCCESS) Fail(lease, result, "read the last counters");
  counters_.Disable(lease);
  turn_.Give(MonotonicNs());
  SetPhaseUnlessClosed(Phase::kClosed);
}

// The GPU has work that may wait for the host, which CUPTI would hold up.
void ContextSampler::LeaveHardware(const HardwareLease& lease) {
  SetPhaseUnlessClosed(Phase::kFailed);
  counters_.LoseSamples(lease);
  parts_->outbox.SetStatus(
      State::kDegraded,
      {0,
       "work that may wait for the host was under way when the recording ended: the last "
       "samples were not read",
       "synchronize before the end of the recording"});
}

}  // namespace prof::cupti
