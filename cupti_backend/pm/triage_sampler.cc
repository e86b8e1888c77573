// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/pm/triage_sampler.h"

#include <time.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "cupti_backend/api/counter_errors.h"
#include "cupti_backend/api/cupti_files.h"
#include "cupti_backend/api/relaxed_capture.h"
#include "lib/capture/process/clock.h"
#include "lib/capture/process/exit_guard.h"
#include "lib/capture/process/fork_guard.h"
#include "lib/capture/process/quiet_thread.h"
#include "lib/capture/process/thread_id.h"
#include "lib/capture/process/timed_wait.h"

namespace prof::cupti {
namespace {

using capture::MonotonicNs;
using capture::ThreadCpuNs;
using Owner = HardwareTurns::Owner;

// A launch or a new signature is noticed after this time.
constexpr int64_t kPollNs = 10'000'000;
// To ask again whether others have the counters.
constexpr int64_t kRetryNs = 50'000'000;
// Between two looks of a launch that waits.
constexpr int64_t kLaunchLookNs = 100'000;

uint64_t DeviceBit(int device) { return uint64_t{1} << device; }

}  // namespace

TriageSampler::TriageSampler(const Parts& parts, const SessionOptions& options)
    : parts_(parts),
      budget_(options.triage_core_percent, MonotonicNs()),
      alarm_(parts.policy->alarm() != nullptr ? *parts.policy->alarm() : no_launches_) {
  status_.state = State::kWorking;
  for (int id = 0; id < TriageWatch::kMaxDevices; ++id) {
    const TriageDevice::Parts parts_of_device = {parts_.api, parts_.driver, parts_.hosts,
                                                 parts_.watch->Of(id)};
    devices_.push_back(std::make_unique<TriageDevice>(parts_of_device, id));
  }
}

// --- Any thread ----------------------------------------------------------------------------------

void TriageSampler::Prepare(int device) noexcept {
  if (device < 0 || device >= TriageWatch::kMaxDevices || stopping_.load()) return;
  if (!devices_[static_cast<size_t>(device)]->is_new()) return;
  awaited_until_ns_.store(MonotonicNs() + kLongestPreparationNs);
  awaited_.fetch_or(DeviceBit(device));
  PrepareLater(device);
}

void TriageSampler::PrepareLater(int device) noexcept {
  if (device < 0 || device >= TriageWatch::kMaxDevices) return;
  later_.fetch_or(DeviceBit(device));
  alarm_.signal().Post();
}

void TriageSampler::AwaitPrepared(int device) noexcept {
  if (device < 0 || device >= TriageWatch::kMaxDevices) return;
  const uint64_t bit = DeviceBit(device);
  if ((awaited_.load() & bit) == 0) return;
  const int64_t begin_ns = capture::RealtimeNs();
  while ((awaited_.load() & bit) != 0 && !stopping_.load() &&
         MonotonicNs() < awaited_until_ns_.load()) {
    capture::SleepNs(kLaunchLookNs);
  }
  awaited_.fetch_and(~bit);  // once
  AddInterval(begin_ns);
}

// What a launching thread has waited since then.
void TriageSampler::AddInterval(int64_t begin_ns) noexcept {
  try {
    const capture::MutexLock lock(mutex_);
    events_.intervals.push_back({capture::ProfilerWork::kSetup, capture::CurrentThreadId(),
                                 begin_ns, capture::RealtimeNs()});
  } catch (const std::exception&) {  // out of memory
  }
}

SubsystemStatus TriageSampler::status() const {
  const capture::MutexLock lock(mutex_);
  return status_;
}

void TriageSampler::SetStatus(State state, const Problem& problem) {
  const capture::MutexLock lock(mutex_);
  status_ = {state, problem.code, problem.what, problem.fix};
}

// Why another device has no samples stays.
void TriageSampler::ReportOpen(const TriageDevice& device) {
  const auto given_up = [](const auto& one) { return one->given_up(); };
  if (std::any_of(devices_.begin(), devices_.end(), given_up)) return;
  const std::string& left_out = device.plan().left_out;
  SetStatus(left_out.empty() ? State::kWorking : State::kDegraded,
            {0, left_out.empty() ? "" : "PM sampling on this chip leaves out: " + left_out, ""});
}

// --- The thread that starts and stops a recording ------------------------------------------------

void TriageSampler::Start() {
  thread_ = capture::StartQuietThread("prof-triage", [this] { Run(); });
}

void TriageSampler::Stop() {
  stopping_.store(true);
  alarm_.signal().Post();
  if (thread_.joinable()) thread_.join();
}

void TriageSampler::SetPaused(bool paused) {
  paused_.store(paused);
  alarm_.signal().Post();
}

// --- The collector thread ------------------------------------------------------------------------

void TriageSampler::Abandon(const Problem& why) {
  abandoned_.store(true);
  Stop();
  SetStatus(State::kDegraded, why);
}

PmEvents TriageSampler::TakeEvents() {
  const capture::MutexLock lock(mutex_);
  return std::exchange(events_, {});
}

// --- The sampler's thread ------------------------------------------------------------------------

void TriageSampler::Run() {
  const RelaxedCapture relaxed(*parts_.driver);
  try {
    SampleUntilStopped();
  } catch (const std::exception& error) {
    stopping_.store(true);  // no launch waits for it any more
    SetStatus(State::kDegraded, {0, std::string("triage ended: ") + error.what(), ""});
  }
  alarm_.SetLearns(false);
  CloseAll();
}

// CUPTI's host libraries clear 105 MB as they are loaded, which takes 0.13 s: meanwhile the program
// is still in its cuInit.
void TriageSampler::LoadLibraries() {
  const capture::FirstAtExit first_at_exit;
  const capture::NoForks no_forks;
  LoadCompanions(parts_.api->path);
}

void TriageSampler::SampleUntilStopped() {
  LoadLibraries();
  int64_t wake_ns = MonotonicNs() + kPollNs;
  while (true) {
    alarm_.signal().WaitUntil(wake_ns);
    if (stopping_.load()) return;
    // Each round: at the thread's start the program may still be in its cuInit, where it fails.
    const RelaxedCapture relaxed(*parts_.driver);
    PrepareRequested();
    if (paused_.load()) {
      alarm_.SetLearns(false);
      CloseOpen();
      wake_ns = MonotonicNs() + kPollNs;
      continue;
    }
    const int64_t now_ns = MonotonicNs();
    const Outlook outlook = ServeAll(now_ns);
    TakeTurns(outlook, MonotonicNs());
    wake_ns = std::min(outlook.wake_ns, MonotonicNs() + kPollNs);
  }
}

void TriageSampler::PrepareRequested() {
  const uint64_t devices = later_.exchange(0);
  for (int id = 0; id < TriageWatch::kMaxDevices; ++id) {
    if ((devices >> id & 1) != 0) PrepareNow(id);
  }
}

// CUPTI holds up no launch meanwhile (H200: 0.05 ms at most; a wait for the GPU 1.5 ms).
void TriageSampler::PrepareNow(int device) {
  TriageDevice& triaged = *devices_[static_cast<size_t>(device)];
  if (triaged.Claim()) {
    const capture::FirstAtExit first_at_exit;
    const std::optional<Problem> problem = triaged.Prepare();
    if (problem) {
      SetStatus(State::kUnavailable, *problem);
    } else {
      parts_.policy->SetTriage(true);  // it may have ended on all devices before
      ReportOpen(triaged);
    }
  }
  awaited_.fetch_and(~DeviceBit(device));
}

TriageSampler::Outlook TriageSampler::ServeAll(int64_t now_ns) {
  Outlook all;
  for (const auto& device : devices_) {
    if (!device->usable()) continue;
    const Outlook outlook = Serve(*device, now_ns);
    all.wake_ns = std::min(all.wake_ns, outlook.wake_ns);
    all.wanted |= outlook.wanted;
    all.listens |= outlook.listens;
  }
  alarm_.SetLearns(all.listens);
  return all;
}

TriageSampler::Outlook TriageSampler::Serve(TriageDevice& device, int64_t now_ns) {
  using Action = TriageSchedule::Action;
  const SamplingPolicy& policy = *parts_.policy;
  TriageSignals process;
  process.launches = parts_.launches->load(std::memory_order_relaxed);
  process.news = policy.news() + policy.returns();
  process.lacking = policy.unseen_share();
  process.several_streams = parts_.turns->several_streams();
  if (alarm_.rung() && alarm_.expected_ns() != 0 && alarm_.expected_ns() < now_ns) {
    alarm_.SwitchOff();  // it rang while nobody listened
  }
  process.may_ring = alarm_.may_ring();
  process.alarm = alarm_.rung();
  process.expected_ns = process.alarm ? alarm_.expected_ns() : 0;
  const TriageSignals signals = device.Signals(process);
  TriageSchedule& schedule = device.schedule();
  TriageSchedule::Step step = schedule.Next(now_ns, device.open(), signals, &budget_);
  const bool wanted = schedule.learning(now_ns), listens = device.open() && schedule.listens();
  if (!parts_.turns->IsOf(Owner::kTriage)) return {INT64_MAX, wanted};
  if (device.open() && device.TurnIsOver(now_ns)) {
    device.Close();
    return {now_ns + kRetryNs, wanted};
  }
  if (step.action == Action::kBurst && device.PassIsDone()) {
    step = {Action::kOpen, 0, 0, schedule.interval_ns()};
  }
  switch (step.action) {
    case Action::kWait:
      return {step.at_ns, wanted, listens};
    case Action::kListen:
      alarm_.Arm();
      return {step.at_ns, wanted, listens};
    case Action::kBurst:
      alarm_.SwitchOff();
      if (!WaitUntil(step.at_ns)) return {0, wanted, listens};
      Burst(device, step.length_ns);
      break;
    case Action::kOpen:
      if (!device.open() && !device.MayOpen(now_ns)) return {now_ns + kRetryNs, wanted};
      alarm_.SwitchOff();
      Open(device, step.interval_ns);
      break;
    case Action::kLetGo:
      alarm_.SwitchOff();
      device.Close();
      break;
  }
  return {0, wanted, listens};
}

// False: something else is to be done first.
bool TriageSampler::WaitUntil(int64_t at_ns) {
  while (MonotonicNs() < at_ns) {
    if (stopping_.load() || paused_.load() || later_.load() != 0) return false;
    alarm_.signal().WaitUntil(at_ns);
  }
  return true;
}

void TriageSampler::Open(TriageDevice& device, int64_t interval_ns) {
  const int64_t cpu_ns = ThreadCpuNs();
  const std::optional<Problem> problem = device.Open(interval_ns, MonotonicNs());
  device.schedule().OnOpen(MonotonicNs(), interval_ns, ThreadCpuNs() - cpu_ns, &budget_);
  if (!problem) {
    ReportOpen(device);
    return;
  }
  SetStatus(State::kUnavailable, *problem);
  if (problem->code != static_cast<int>(CUPTI_ERROR_HARDWARE_BUSY)) device.GiveUp();
}

void TriageSampler::Burst(TriageDevice& device, int64_t length_ns) {
  const int64_t cpu_ns = ThreadCpuNs();
  capture::PmBatchEvent batch;
  batch.series = SeriesOf(device);
  const CUptiResult result = device.Burst(length_ns, &batch);
  const int64_t cost_ns = ThreadCpuNs() - cpu_ns;
  // With others beside them they cost no burst: to open a session again is expensive.
  const uint32_t samples_misdated = result == CUPTI_SUCCESS ? device.samples_misdated() : 0;
  const bool misdated = samples_misdated > 0 && batch.begin_ns.empty();
  lost_.fetch_add(samples_misdated);
  if (misdated) bursts_misdated_.fetch_add(1);
  device.schedule().OnBurst(MonotonicNs(), cost_ns, Emit(std::move(batch)), &budget_);
  if (misdated) return OnMisdated(device);
  device.misdated_in_a_row() = 0;
  if (result == CUPTI_SUCCESS) return;
  device.Close();
  if (result == CUPTI_ERROR_OUT_OF_MEMORY) {  // the hardware buffer overflowed; it is opened again
    bursts_failed_.fetch_add(1);
    return;
  }
  device.GiveUp();
  SetStatus(State::kUnavailable, ExplainCounterError(*parts_.api, result, "read PM samples"));
}

// A new session may have other times.
void TriageSampler::OnMisdated(TriageDevice& device) {
  constexpr int kMostInARow = 3;
  device.Close();
  if (++device.misdated_in_a_row() < kMostInARow) return;
  device.GiveUp();
  SetStatus(State::kUnavailable, {0, "the times of PM samples cannot be right",
                                  "record again, or read counters of launches: --counters sol"});
}

std::vector<capture::NoticeEvent> TriageSampler::Notices() const {
  const auto bursts = [](uint64_t count) {
    return std::to_string(count) + (count == 1 ? " burst" : " bursts") + " of PM sampling ";
  };
  std::vector<capture::NoticeEvent> notices;
  if (const uint64_t failed = bursts_failed_.load(); failed > 0) {
    notices.push_back(
        {capture::Severity::kInfo, capture::Subsystem::kCounters, 0,
         bursts(failed) +
             "brought nothing: the GPU's buffer for samples was full, most likely because prof's "
             "thread did not run in time. Nothing of the program is missing",
         ""});
  }
  if (const uint64_t misdated = bursts_misdated_.load(); misdated > 0) {
    notices.push_back(
        {capture::Severity::kWarning, capture::Subsystem::kCounters, 0,
         bursts(misdated) + "had times before PM sampling began, or to come: they are left out",
         "record again"});
  }
  return notices;
}

// The turn is given away between two bursts, when nothing new runs.
void TriageSampler::TakeTurns(const Outlook& outlook, int64_t now_ns) {
  HardwareTurns& turns = *parts_.turns;
  const bool fresh = std::any_of(devices_.begin(), devices_.end(), [&](const auto& device) {
    return device->usable() && device->schedule().fresh(now_ns);
  });
  turns.SetWanted(Owner::kTriage, outlook.wanted);
  turns.SetUrgent(fresh);
  if (!turns.IsOf(Owner::kTriage)) return;
  if (NoneUsable()) {
    parts_.policy->SetTriage(false);
    return turns.PassTo(Owner::kRanges);
  }
  if (!turns.Wanted(Owner::kRanges)) return;
  const double open_share = parts_.policy->open_share();
  const bool keeps = std::any_of(devices_.begin(), devices_.end(), [&](const auto& device) {
    return device->usable() && device->schedule().Keeps(now_ns, open_share, &budget_);
  });
  if (keeps) return;
  CloseAll();
  turns.PassTo(Owner::kRanges);
}

// Triage does not work on any device that was tried.
bool TriageSampler::NoneUsable() const {
  const auto given_up = [](const auto& device) { return device->given_up(); };
  const auto usable = [](const auto& device) { return device->usable(); };
  return std::any_of(devices_.begin(), devices_.end(), given_up) &&
         std::none_of(devices_.begin(), devices_.end(), usable);
}

void TriageSampler::CloseAll() {
  for (const auto& device : devices_) {
    if (!device->usable()) continue;
    abandoned_.load() ? device->Forget() : device->Close();
  }
}

void TriageSampler::CloseOpen() {
  for (const auto& device : devices_) {
    if (device->usable() && device->open()) device->Close();
  }
}

uint32_t TriageSampler::SeriesOf(TriageDevice& device) {
  const auto [known, is_new] = device.series().try_emplace(device.series_key(), next_series_);
  if (!is_new) return known->second;
  capture::PmSeriesEvent series;
  series.id = next_series_++;
  series.device = static_cast<uint32_t>(device.id());
  series.interval_ns = device.schedule().interval_ns();
  for (const std::string& metric : device.pass().metrics) {
    series.metrics.push_back(StoredMetric(metric));
  }
  const capture::MutexLock lock(mutex_);
  events_.series.push_back(std::move(series));
  return known->second;
}

bool TriageSampler::Emit(capture::PmBatchEvent batch) {
  if (batch.begin_ns.empty()) return false;
  const capture::MutexLock lock(mutex_);
  if (events_.batches.size() >= PmEvents::kMaxBatches) {
    lost_.fetch_add(batch.begin_ns.size());
    return false;
  }
  events_.batches.push_back(std::move(batch));
  return true;
}

}  // namespace prof::cupti
