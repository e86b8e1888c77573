// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/counter_sampler.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "lib/capture/process/clock.h"
#include "lib/capture/process/quiet_thread.h"

namespace prof::cupti {
namespace {

using capture::MonotonicNs;

std::atomic<uint32_t> last_sampler{0};

}  // namespace

CounterSampler::CounterSampler(const CuptiApi* api, const DriverApi* driver,
                               const SessionOptions& options)
    : api_(api),
      driver_(driver),
      options_(options),
      id_(last_sampler.fetch_add(1, std::memory_order_relaxed) + 1),
      start_ns_(MonotonicNs()),
      wanted_(options.counters != Counters::kNone || !options.metrics.empty()),
      replays_(options.replay == Replay::kKernel),
      plans_(api, driver, options),
      // A replayed launch gives everything at once, and there may be no second one.
      schedule_(replays_ ? 1 : static_cast<uint32_t>(options.samples_per_signature),
                replays_ ? 0 : static_cast<uint32_t>(options.skip_first_launches),
                static_cast<uint32_t>(options.sample_every)),
      selection_(options),
      counted_ranges_(options.counted_ranges),
      tracing_(api) {
  sem_init(&work_, 0, 0);
  if (!wanted_) closed_.store(true);
  status_.state = wanted_ ? State::kWorking : State::kOff;
  if (wanted_) worker_ = capture::StartQuietThread("prof-sampler", [this] { RunWorker(); });
}

CounterSampler::~CounterSampler() {
  closed_.store(true);
  sem_post(&work_);
  if (worker_.joinable()) worker_.join();
}

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
  for (SampleSchedule::Entry* entry : records_.overlaps.Resolve(MonotonicNs())) {
    selection_.Exclude(schedule_, *entry, Exclusion::kNeverAlone, nullptr);
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(events_, {});
}

bool CounterSampler::Undisturbed(const std::function<void()>& work) {
  if (!EnterWithin(kStopWaitNs)) return false;
  work();
  Leave();
  return true;
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

bool CounterSampler::Settled() const {
  for (const Context& context : contexts_) {
    const Phase phase = context.phase.load();
    if (phase == Phase::kNew || phase == Phase::kReady || context.wanted.load() >= 0) return false;
  }
  return !busy_.load();
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
