// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/launch_sampler.h"

#include <sched.h>

#include <atomic>
#include <exception>
#include <optional>
#include <utility>

#include "lib/capture/process/clock.h"
#include "lib/capture/threads/thread_recorder.h"

namespace prof::cupti {
namespace {

using capture::MonotonicNs;
using Phase = ContextSampler::Phase;

// The counter range that this thread has open, with the hardware. `sampler` identifies its owner:
// callbacks that are switched off in the middle of a launch leave the range behind.
struct OpenRange {
  ContextSampler* context;
  uint32_t sampler;
  uint32_t token;  // of an NVTX range; 0: a launch

  [[nodiscard]] bool IsLaunch() const { return token == 0; }
};
// Initial-exec, as in thread_registry.h.
__thread OpenRange open_range __attribute__((tls_model("initial-exec")));

std::atomic<uint32_t> last_sampler{0};

// Samples of a signature that are no good, and do not count as taken.
constexpr int kMostSpoilt = 3;

uint32_t NewId() { return last_sampler.fetch_add(1, std::memory_order_relaxed) + 1; }

// Ends a look at the end of a scope, also when memory runs out in it.
struct Looks {
  ~Looks() { looking->store(false, std::memory_order_seq_cst); }
  std::atomic<bool>* looking;
};

// The function in the signatures of counted ranges.
const char kRangeSignature = 0;

}  // namespace

LaunchSampler::LaunchSampler(SamplerParts* parts, ContextSlots* contexts)
    : parts_(parts), contexts_(contexts), id_(NewId()) {}

void LaunchSampler::OnLaunchEnter(const Launch& launch) {
  ContextSampler* context = contexts_->Find(launch.context);
  if (context != nullptr) context->streams().Seen(launch.stream);
  const bool ready = !parts_->replays || context == nullptr || context->AwaitFirstGroup();
  const bool waited = parts_->gate.Enter(context);
  // It has waited long enough.
  if (waited && context != nullptr && parts_->gate.ClosedFor(context)) context->NoteOtherWork();
  if (parts_->tracing.paused()) parts_->AddUntraced(launch);
  if (context == nullptr) return;
  if (parts_->takes_none.load(std::memory_order_acquire)) {
    context->streams().Doubt(launch.correlation);
    return;
  }
  if (!ready) return;
  const int64_t now_ns = MonotonicNs();
  SamplingPolicy::Entry* entry = Choose(*context, launch, now_ns);
  if (entry == nullptr) return;
  // A launch that has waited for the profiler is not held up again, unless it may be the only one.
  if (!parts_->replays && (waited || context->busy(now_ns))) return;
  // A launch that is only being captured into a graph does not run now.
  CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;
  if (parts_->driver->stream_is_capturing(launch.stream, &capturing) != CUDA_SUCCESS ||
      capturing != CU_STREAM_CAPTURE_STATUS_NONE) {
    return;
  }
  Sample(*context, entry, launch, now_ns);
}

SamplingPolicy::Entry* LaunchSampler::Choose(ContextSampler& context, const Launch& launch,
                                             int64_t now_ns) {
  const Phase phase = context.phase();
  if (phase == Phase::kFailed || phase == Phase::kClosed) return nullptr;
  SamplingPolicy& policy = parts_->policy;
  SamplingPolicy::Entry* known = nullptr;
  SamplingPolicy::Entry* const wanted = policy.Consider(launch, context.slot(), now_ns, &known);
  const bool several = context.streams().several();
  const bool trusted =
      known != nullptr && !launch.waits && SamplingPolicy::Trusted(*known, several);
  if (trusted && wanted == nullptr) return nullptr;  // most launches
  return Examine(context, launch, now_ns, {known, wanted, trusted});
}

[[gnu::noinline]] SamplingPolicy::Entry* LaunchSampler::Examine(ContextSampler& context,
                                                                const Launch& launch,
                                                                int64_t now_ns,
                                                                const Considered& considered) {
  const auto [known, wanted, trusted] = considered;
  SamplingPolicy& policy = parts_->policy;
  if (known != nullptr && !known->asked.load(std::memory_order_relaxed)) {
    known->asked.store(true, std::memory_order_relaxed);
    NoteLocalMemory(launch);
  }
  if (!trusted) context.streams().Doubt(launch.correlation);
  if (known != nullptr && (launch.waits || SamplingPolicy::Waits(*known))) {
    policy.NoteWaiting(launch.path);
  }
  // Launches before the first group is there count, too: they are the first of their signature, and
  // their time decides whether counters are worth it.
  if (known != nullptr && (wanted != nullptr || !trusted)) {
    policy.MeasureWork(context.context_id(), launch, known, capture::RealtimeNs());
  }
  if (!ContextSampler::Prepared(context.phase())) return nullptr;
  if (wanted == nullptr || launch.waits || !parts_->budget.Allows(now_ns)) return nullptr;
  if (policy.IsSuspect(context.context_id(), launch, *wanted)) return nullptr;
  // A graph may hold kernels that wait for kernels of another context's graph.
  const bool graph = launch.unit == capture::SampleUnit::kGraph;
  if (graph && (parts_->replays || contexts_->several())) return nullptr;
  if (context.streams().several() && !policy.EndsByItself(context.context_id(), launch, wanted))
    return nullptr;
  return wanted;
}

void LaunchSampler::NoteLocalMemory(const Launch& launch) {
  if (launch.unit != capture::SampleUnit::kKernel || launch.kernel_name == nullptr) return;
  const std::optional<uint32_t> bytes = LocalBytesOf(launch, *parts_->driver);
  if (!bytes) return;
  const Signature& signature = launch.signature;
  parts_->policy.records().local_memory.Set(
      KernelKeyOf(launch.kernel_name, signature.grid, signature.block,
                  signature.dynamic_shared_bytes),
      *bytes);
}

void LaunchSampler::OnLaunchExit() {
  if (open_range.sampler == id() && open_range.IsLaunch()) {
    CloseOpenRange();
  }
  parts_->gate.Exit();
}

void LaunchSampler::OnStreamWork(CUcontext handle, CUstream stream, uint32_t correlation,
                                 bool waits) {
  ContextSampler* context = contexts_->Find(handle);
  if (context == nullptr) return;
  context->streams().Seen(stream);
  if (waits) context->streams().Doubt(correlation);
  if (parts_->gate.ClosedFor(context)) context->NoteOtherWork();
}

// CUPTI's profiler may not be touched from a resource callback: the range goes with its context.
void LaunchSampler::OnContextDestroyed(CUcontext context) {
  if (open_range.sampler == id() && open_range.context->handle() == context) {
    open_range.sampler = 0;
    // A counted range may have been closed at the end, or for a pause.
    const bool open = open_range.IsLaunch() || TakeCounted();
    if (open) {
      parts_->held_up.EndRange();
      parts_->gate.Open();
      parts_->hardware.Resume().Release();
    }
  }
  contexts_->CloseContext(context);
}

void LaunchSampler::OnRangeEnter(uint32_t path, uint32_t token) {
  if (token == 0 || parts_->takes_none.load(std::memory_order_acquire) || parts_->replays ||
      open_range.sampler == id() || !parts_->policy.CountsRange(path)) {
    return;
  }
  Launch range;
  range.unit = capture::SampleUnit::kRange;
  if (parts_->driver->ctx_get_current(&range.context) != CUDA_SUCCESS) return;
  ContextSampler* context = contexts_->Find(range.context);
  if (context == nullptr) return;
  range.path = path;
  range.signature.function = &kRangeSignature;
  range.signature.range_family = capture::PathFamily(path);
  const int64_t now_ns = MonotonicNs();
  SamplingPolicy::Entry* entry = parts_->policy.Consider(range, context->slot(), now_ns);
  if (entry == nullptr || parts_->policy.RangeWaits(path) ||
      !ContextSampler::Prepared(context->phase()) || !parts_->budget.Allows(now_ns) ||
      context->busy(now_ns)) {
    return;
  }
  Sample(*context, entry, range, now_ns, token);
}

void LaunchSampler::OnRangeExit(uint32_t token) {
  if (open_range.sampler != id() || open_range.IsLaunch() || open_range.token != token) {
    return;
  }
  if (!TakeCounted()) {  // it was closed at the end, or for a pause
    open_range.sampler = 0;
    return;
  }
  CloseOpenRange();
}

// A look takes some 20 ms. Where CUPTI takes longer, the range is left to the end, or the next
// pause.
bool LaunchSampler::TakeCounted() {
  const int64_t until_ns = MonotonicNs() + SamplerParts::kLaunchWaitNs;
  while (looking_.load(std::memory_order_seq_cst)) {
    if (MonotonicNs() > until_ns) return false;
    sched_yield();
  }
  return counted_.exchange(nullptr, std::memory_order_seq_cst) != nullptr;
}

void LaunchSampler::CloseLeftRange() {
  looking_.store(true, std::memory_order_seq_cst);
  const Looks at_end{&looking_};
  ContextSampler* const context = counted_.exchange(nullptr);
  if (context == nullptr) return;
  HardwareLease lease = parts_->hardware.Resume();
  const bool gone = context->phase() == Phase::kClosed;
  if (gone) {
    parts_->held_up.EndRange();
    parts_->gate.Open();
  }
  if (gone || context->CloseAtEnd(lease)) {
    id_.store(NewId());  // its thread finds nothing of it
  } else {
    lease.KeepTaken();
    counted_.store(context);
  }
}

// A launch that waits is not under way: who has the hardware may wait for all that are.
HardwareLease LaunchSampler::AwaitHardware(ContextSampler& context) {
  parts_->gate.Exit();
  HardwareLease lease = parts_->hardware.TakeWithin(SamplerParts::kLaunchWaitNs);
  parts_->gate.Enter(&context);
  return lease;
}

// Keeps the hardware while a range is open.
void LaunchSampler::Sample(ContextSampler& context, SamplingPolicy::Entry* entry,
                           const Launch& launch, int64_t now_ns, uint32_t token) {
  using Action = SampleSchedule::Action;
  HardwareLease lease = parts_->replays ? AwaitHardware(context) : parts_->hardware.TryTake();
  // Tracing may have been paused while this launch waited.
  if (!lease && parts_->replays && parts_->tracing.paused()) parts_->AddUntraced(launch);
  // Asked again: who stops the sampling takes the hardware afterwards, and then tracing may end.
  if (!lease || parts_->takes_none.load(std::memory_order_acquire)) return;
  const SamplingPolicy::Decision decision =
      parts_->policy.Next(*entry, context.hardware(lease), now_ns);
  if (decision.action == Action::kRotate) context.RequestGroup(decision.group);
  if (decision.action != Action::kSample) return;
  try {
    if (!context.Open(lease, entry, launch, decision.group)) return;
  } catch (const std::exception&) {  // out of memory: no range is open
    parts_->gate.Open();
    parts_->outbox.CountFailed(1);
    return;
  }
  sampled_ = {entry, decision.group, now_ns};
  open_range = {&context, id(), token};
  lease.KeepTaken();
  if (launch.unit == capture::SampleUnit::kRange) counted_.store(&context);
}

void LaunchSampler::CloseOpenRange() {
  ContextSampler& context = *open_range.context;
  open_range.sampler = 0;
  if (parts_->abandoned.load()) {  // the range went with CUPTI
    parts_->gate.Open();
    return;
  }
  HardwareLease lease = parts_->hardware.Resume();
  bool good = true;
  try {
    good = context.CloseRange(lease);
  } catch (const std::exception&) {
    // Out of memory after the range was closed: an interval or a status is missing.
  }
  SamplingPolicy::Entry& entry = *sampled_.entry;
  std::optional<uint32_t> next_group;
  // A signature that is always beside other work is not tried for ever.
  if (good || ++entry.spoilt > kMostSpoilt) {
    next_group =
        parts_->policy.AfterSample(entry, context.slot(), sampled_.group, sampled_.begin_ns);
  } else if (parts_->replays) {
    next_group = sampled_.group;  // a change of group reads the samples
  }
  lease.Release();
  if (next_group) context.RequestGroup(*next_group);
}

}  // namespace prof::cupti
