// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/counter_sampler.h"

#include <atomic>
#include <string>
#include <utility>

#include "lib/capture/process/clock.h"

namespace prof::cupti {

using capture::MonotonicNs;

CounterSampler::CounterSampler(const CuptiApi* api, const DriverApi* driver,
                               const SessionOptions& options)
    : all_(std::make_shared<All>(api, driver, options)),
      parts_(all_->parts),
      contexts_(all_->contexts),
      launches_(all_->launches),
      worker_(all_->worker) {
  if (parts_.budget.ranks() > 1) AddNoticeOfRanks("the job has");
  if (parts_.samples_launches) worker_.Start();
}

void CounterSampler::AddNoticeOfRanks(const std::string& who) {
  if (!parts_.samples_launches) return;
  parts_.outbox.Add(capture::NoticeEvent{
      capture::Severity::kInfo, capture::Subsystem::kCounters, 0,
      who + " " + std::to_string(parts_.budget.ranks()) +
          " processes that may wait for each other: each samples counters for its part of the "
          "budget, " +
          parts_.budget.Text(),
      "raise it: --budget, --budget-seconds"});
}

// Processes that a program starts by itself have nothing in the environment that tells how many
// there are. One that uses NCCL and a single GPU is taken as one of as many as it sees GPUs, and of
// two where it sees its own alone.
void CounterSampler::FindRanks() {
  if (looked_for_ranks_ || !parts_.policy.saw_nccl()) return;
  looked_for_ranks_ = true;
  if (parts_.budget.ranks() > 1 || contexts_.Devices().size() > 1) return;
  int devices = 0;
  if (parts_.driver->device_get_count(&devices) != CUDA_SUCCESS) devices = 0;
  parts_.budget.SetRanks(std::max(devices, 2));
  AddNoticeOfRanks("it uses NCCL and one GPU, so it is taken as one of");
}

CounterSampler::~CounterSampler() {
  parts_.closed.store(true);
  parts_.takes_none.store(true);
  worker_.Join();
  if (in_use_) Leave(all_);
}

// Never freed, and reachable for leak checkers.
void CounterSampler::Leave(const std::shared_ptr<All>& all) {
  static std::atomic<All*> left{nullptr};
  all->next_left = left.load();
  while (!left.compare_exchange_weak(all->next_left, all.get())) {
  }
  all->itself = all;
}

capture::GpuWait::Work CounterSampler::WaitForGpu() const {
  return [all = all_](const std::atomic<bool>& given_up) {
    return all->contexts.Synchronize(given_up);
  };
}

// A thread that was about to open a counted range when that ended has it open a moment later.
HardwareLease CounterSampler::TakeFromRanges() {
  constexpr int64_t kLookNs = 20'000'000;
  const int64_t until_ns = MonotonicNs() + SamplerParts::kLaunchWaitNs;
  while (true) {
    launches_.CloseLeftRange();
    HardwareLease lease = parts_.hardware.TakeWithin(kLookNs);
    if (lease || MonotonicNs() > until_ns) return lease;
  }
}

bool CounterSampler::Pause() {
  parts_.takes_none.store(true);
  const HardwareLease lease = TakeFromRanges();
  if (!lease) {
    parts_.takes_none.store(parts_.closed.load());
    return false;
  }
  parts_.work.Post();  // to let go of the hardware
  return true;
}

void CounterSampler::Resume() { parts_.takes_none.store(parts_.closed.load()); }

SamplerEvents CounterSampler::TakeEvents() {
  const int64_t now_ns = MonotonicNs();
  parts_.policy.ExcludeOverlapping(now_ns);
  FindRanks();
  ChooseByNeed(now_ns);
  return parts_.outbox.Take();
}

// By need nothing but this changes groups while no launch is sampled. Where a launch has the
// hardware it is for the next round, 20 ms later.
void CounterSampler::ChooseByNeed(int64_t now_ns) {
  SamplingPolicy& policy = parts_.policy;
  if (!policy.by_need() || parts_.takes_none.load(std::memory_order_acquire)) return;
  const HardwareLease lease = parts_.hardware.TryTake();
  if (!lease) return;
  const SamplingBudget& budget = parts_.budget;
  policy.Refresh(budget.Plenty(now_ns), now_ns);
  const bool wants = policy.WantsHardware() && budget.Affords(policy.TurnCostNs(), now_ns);
  parts_.turns.SetWanted(HardwareTurns::Owner::kRanges, wants);
  for (ContextSampler& context : contexts_) {
    if (context.streams().several()) parts_.turns.SetSeveralStreams();
  }
  if (!budget.Allows(now_ns)) return;
  for (ContextSampler& context : contexts_) {
    if (!ContextSampler::Prepared(context.phase())) {
      if (wants && context.phase() == ContextSampler::Phase::kNew) parts_.work.Post();
      continue;
    }
    const SamplingPolicy::Hardware hardware = context.hardware(lease);
    if (hardware.group < 0 && !wants) continue;
    if (const auto group = policy.Plan(hardware, now_ns)) context.RequestGroup(*group);
  }
}

bool CounterSampler::Undisturbed(const std::function<void()>& work) {
  const HardwareLease lease = parts_.hardware.TakeWithin(SamplerParts::kLaunchWaitNs);
  if (!lease) return false;
  work();
  return true;
}

void CounterSampler::AddFinalNotices() {
  const SamplingPolicy& policy = parts_.policy;
  for (capture::NoticeEvent& notice : policy.Notices()) parts_.outbox.Add(std::move(notice));
  const uint32_t unfinished = policy.unfinished();
  if (!parts_.budget.was_used_up() || unfinished == 0) return;
  parts_.outbox.Add(capture::NoticeEvent{
      capture::Severity::kInfo, capture::Subsystem::kCounters, 0,
      "counter sampling paused at its budget (" + parts_.budget.Text() +
          "): " + std::to_string(unfinished) + " of " + std::to_string(policy.signatures()) +
          " kernel signatures have fewer samples than asked for",
      "run longer, or raise it: --budget, --budget-seconds"});
}

void CounterSampler::Stop() {
  if (parts_.closed.load()) return;
  were_sampled_.store(AllSampled());
  parts_.closed.store(true);
  parts_.takes_none.store(true);
  AddFinalNotices();
  worker_.Join();
  const HardwareLease lease = TakeFromRanges();
  if (!lease) {
    in_use_ = true;
    parts_.outbox.SetStatus(State::kDegraded,
                            {0, "a launch was still under way when the recording ended", ""});
    return;
  }
  for (ContextSampler& context : contexts_) context.Finish(lease);
}

void CounterSampler::Abandon(const Problem& why) {
  parts_.abandoned.store(true);
  parts_.takes_none.store(true);
  if (parts_.closed.exchange(true)) return;
  in_use_ = true;
  AddFinalNotices();
  parts_.outbox.SetStatus(State::kDegraded, why);
  worker_.Join();
  // The exit callback of a launch under its range may never come.
  parts_.gate.Open();
  parts_.tracing.Forget();
}

SubsystemStatus CounterSampler::status() const {
  SubsystemStatus status = parts_.outbox.status();
  if (status.state == State::kWorking && contexts_.overflowed()) {
    status = {State::kDegraded, 0,
              "counters are sampled in the first " + std::to_string(ContextSlots::kMaxContexts) +
                  " CUDA contexts of a recording; this program has more",
              ""};
  }
  return status;
}

bool CounterSampler::Complete() const {
  if (parts_.closed.load(std::memory_order_relaxed)) return true;
  const int64_t now_ns = MonotonicNs();
  // With a share of the run time more budget comes; without one this was all.
  const bool spent = parts_.budget.Exhausted(now_ns);
  // Nothing comes when every context failed, and it is unknown when if another program holds the
  // counters; before the first launch nothing is complete.
  return contexts_.Usable() ? parts_.policy.Complete(now_ns) || spent : contexts_.Failed();
}

bool CounterSampler::AllSampled() const {
  if (parts_.closed.load(std::memory_order_relaxed)) return were_sampled_.load();
  return contexts_.Usable() && parts_.policy.Complete(MonotonicNs());
}

void CounterSampler::AddLosses(Integrity& integrity) const {
  integrity.samples_failed += parts_.outbox.failed();
  integrity.signatures_dropped += parts_.policy.signatures_dropped();
}

}  // namespace prof::cupti
