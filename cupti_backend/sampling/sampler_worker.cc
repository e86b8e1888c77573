// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/sampler_worker.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <string>

#include "cupti_backend/api/relaxed_capture.h"
#include "lib/capture/process/clock.h"
#include "lib/capture/process/complain.h"
#include "lib/capture/process/exit_guard.h"
#include "lib/capture/process/quiet_thread.h"

namespace prof::cupti {
namespace {

using capture::MonotonicNs;

constexpr int64_t kCheckNs = 1'000'000'000;
constexpr int64_t kVainTurnNs = 3'000'000'000;  // the hardware was not to be had meanwhile
// While the hardware is held, or triage may want it back.
constexpr int64_t kHoldingCheckNs = 25'000'000;

}  // namespace

void SamplerWorker::Start() {
  thread_ = capture::StartQuietThread("prof-sampler", [this] { Run(); });
}

void SamplerWorker::Join() {
  parts_->work.Post();
  if (thread_.joinable()) thread_.join();
}

void SamplerWorker::Run() {
  const RelaxedCapture relaxed(*parts_->driver);
  try {
    WorkUntilClosed();
  } catch (const std::exception& error) {
    for (ContextSampler& context : *contexts_) context.GiveUp();
    parts_->outbox.SetStatus(State::kDegraded,
                             {0, std::string("sampling ended: ") + error.what(), ""});
  }
}

void SamplerWorker::WorkUntilClosed() {
  while (true) {
    AwaitWork();
    CheckHeldUp(MonotonicNs());
    if (parts_->closed.load(std::memory_order_acquire)) return;
    for (ContextSampler& context : *contexts_) {
      if (context.handle() != nullptr) Serve(context);  // nullptr: free, or closed
      context.LeaveTurn(MonotonicNs());
    }
    ReleaseUnused(MonotonicNs());
    PassTurn(MonotonicNs());
  }
}

// Until there is something to do, busy counters are to be tried again, or it is time to check what
// is open.
void SamplerWorker::AwaitWork() {
  const int64_t now_ns = MonotonicNs();
  int64_t until_ns = now_ns + kCheckNs;
  const bool ours = parts_->turns.IsOf(HardwareTurns::Owner::kRanges);
  const bool changes = ours && !Urgent();  // see Serve()
  for (const ContextSampler& context : *contexts_) {
    if (context.phase() == ContextSampler::Phase::kRunning) {
      until_ns = std::min(until_ns, now_ns + kHoldingCheckNs);
    }
    if (changes) until_ns = std::min(until_ns, context.retry_ns());
  }
  if (ours && parts_->policy.triage_works()) {
    until_ns = std::min(until_ns, now_ns + kHoldingCheckNs);
  }
  parts_->work.WaitUntil(until_ns);
}

void SamplerWorker::Serve(ContextSampler& context) {
  using Owner = HardwareTurns::Owner;
  const bool ours = parts_->turns.IsOf(Owner::kRanges);
  // To plan needs no hardware: it is done before triage gives it away.
  const bool to_prepare =
      (ours || parts_->turns.Wanted(Owner::kRanges)) && context.NeedsPreparation(MonotonicNs());
  std::optional<capture::FirstAtExit> first_at_exit;
  if (!ContextCounters::ProfilerLoaded() && (to_prepare || (ours && context.awaits_group()))) {
    first_at_exit.emplace();
  }
  if (to_prepare) context.Prepare();
  if (!ours || Urgent()) return;
  const int64_t now_ns = MonotonicNs();
  if (context.NeedsChange(now_ns) && context.HasTurn(now_ns)) context.ChangeGroup();
}

void SamplerWorker::ReleaseUnused(int64_t now_ns) {
  for (ContextSampler& context : *contexts_) {
    if (context.IsToRelease(now_ns)) context.Release();
  }
}

// Triage should have the hardware back at once.
bool SamplerWorker::Urgent() const { return parts_->policy.by_need() && parts_->turns.urgent(); }

// By need triage gets the hardware back once no context has anything to read with it.
void SamplerWorker::PassTurn(int64_t now_ns) {
  using Owner = HardwareTurns::Owner;
  if (!parts_->policy.by_need() || !parts_->turns.IsOf(Owner::kRanges)) return;
  if (turn_since_ns_ == 0) turn_since_ns_ = now_ns;
  const bool urgent = Urgent();
  if (urgent) {
    for (ContextSampler& context : *contexts_) context.Withdraw();
  }
  if (!urgent && now_ns - turn_since_ns_ < DeviceTurn::kTurnNs) return;
  const bool used = std::any_of(contexts_->begin(), contexts_->end(), [](const auto& context) {
    return context.phase() == ContextSampler::Phase::kRunning || context.awaits_group();
  });
  const bool waits = parts_->turns.Wanted(Owner::kRanges) && now_ns - turn_since_ns_ < kVainTurnNs;
  if (used || (waits && !urgent)) return;
  turn_since_ns_ = 0;
  parts_->turns.PassTo(Owner::kTriage);
}

// Nothing can be done for a launch that does not come back from its counter range. Its user gets a
// message, and the signature is not sampled again.
void SamplerWorker::CheckHeldUp(int64_t now_ns) {
  const std::optional<HeldUpWatch::Launch> launch = parts_->held_up.Find(now_ns);
  if (!launch) return;
  const char* const name = launch->kernel_name.empty() ? nullptr : launch->kernel_name.c_str();
  if (!parts_->policy.ExcludeHeldUp(*launch->signature, name)) return;
  capture::Complain(
      "prof: %s has been under a counter range for %d s. If it waits for another kernel "
      "or for the host, leave it out of counters: --kernel, PROF_KERNEL\n",
      name != nullptr ? name : "a launch",
      static_cast<int>(HeldUpWatch::kHeldUpNs / 1'000'000'000));
}

}  // namespace prof::cupti
