// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/host_sampler.h"

#include <time.h>

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "lib/capture/process/clock.h"
#include "lib/capture/process/quiet_thread.h"
#include "lib/capture/process/timed_wait.h"
#include "lib/capture/threads/thread_registry.h"

namespace prof::capture {
namespace {

constexpr int64_t kSleepForCost = 49;

}  // namespace

HostSampler::HostSampler(int per_second, StackSource* source)
    : period_ns_(1'000'000'000 / std::max(per_second, 1)),
      source_(source),
      random_(static_cast<uint64_t>(MonotonicNs()) | 1) {
  sem_init(&wake_, 0, 0);
}

HostSampler::~HostSampler() {
  Stop();
  sem_destroy(&wake_);
}

bool HostSampler::Start() {
  try {
    thread_ = StartQuietThread("prof-host", [this] { Run(); });
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

void HostSampler::RequestStop() {
  stopping_.store(true);
  sem_post(&wake_);
}

void HostSampler::Stop() {
  if (!thread_.joinable()) return;
  RequestStop();
  thread_.join();
}

std::vector<HostSampleEvent> HostSampler::Take() {
  std::vector<HostSampleEvent> taken;
  const MutexLock lock(mutex_);
  taken.swap(samples_);
  return taken;
}

void HostSampler::Keep(const HostSampleEvent& sample) {
  try {
    const MutexLock lock(mutex_);
    if (samples_.size() < kMostSamples) {
      samples_.push_back(sample);
      return;
    }
  } catch (const std::bad_alloc&) {  // counted as one without room; the sampler goes on
  }
  Count(1);
}

// Between half a period and one and a half: a program that repeats itself with our period would be
// seen at the same place each time.
int64_t HostSampler::NextMoment(int64_t planned_ns, int64_t now_ns, int64_t cost_ns) {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  const int64_t next_ns = planned_ns + period_ns_ / 2 +
                          static_cast<int64_t>(random_ % static_cast<uint64_t>(period_ns_));
  const int64_t earliest_ns = now_ns + kSleepForCost * cost_ns;
  if (next_ns >= earliest_ns) return next_ns;
  Count(static_cast<uint64_t>((earliest_ns - next_ns) / period_ns_));
  return earliest_ns;
}

void HostSampler::Run() {
  const ThreadWaits waits;
  int64_t planned_ns = MonotonicNs();
  int64_t cost_ns = 0;
  while (true) {
    planned_ns = NextMoment(planned_ns, MonotonicNs(), cost_ns);
    WaitUntil(&wake_, planned_ns);
    if (stopping_.load()) return;
    const int64_t begin_ns = ThreadCpuNs();
    if (!paused_.load(std::memory_order_relaxed)) LookAtAll(waits);
    cost_ns = ThreadCpuNs() - begin_ns;
  }
}

// The threads that called CUDA last, the latest first.
HostSampler::Candidates HostSampler::FindCandidates() {
  Candidates latest;
  thread_registry.ForEachThread([&latest](ThreadState& thread) {
    Candidate candidate = {&thread, thread.last_call_ticks.load(std::memory_order_relaxed)};
    if (candidate.last_call_ticks == 0 ||
        thread.life.load(std::memory_order_acquire) != ThreadLife::kLive) {
      return;
    }
    for (Candidate& other : latest) {
      if (candidate.last_call_ticks > other.last_call_ticks) std::swap(candidate, other);
    }
  });
  return latest;
}

// The latest caller is looked at however long ago that was.
void HostSampler::LookAtAll(const ThreadWaits& waits) {
  clock_.Advance();
  const int64_t now_ns = RealtimeNs();
  bool first = true;
  for (const Candidate& candidate : FindCandidates()) {
    if (candidate.thread == nullptr) return;
    const int64_t quiet_ns = now_ns - clock_.RealtimeOf(candidate.last_call_ticks);
    if (quiet_ns >= kQuietNs && (first || quiet_ns < kRecentNs)) LookAt(*candidate.thread, waits);
    first = false;
  }
}

void HostSampler::LookAt(const ThreadState& thread, const ThreadWaits& waits) {
  const ThreadNumbers numbers = {thread.tid.load(std::memory_order_relaxed),
                                 thread.pthread.load(std::memory_order_relaxed)};
  HostLook look;
  if (source_ != nullptr) {
    look = source_->LookAt(numbers);
  } else {
    look.time_ns = RealtimeNs();
  }
  const HostState state = waits.StateOf(numbers.tid);
  // The thread has ended meanwhile, and another one may have its place.
  if (thread.life.load(std::memory_order_acquire) != ThreadLife::kLive ||
      thread.tid.load(std::memory_order_relaxed) != numbers.tid) {
    return;
  }
  Keep({look.time_ns, numbers.tid, look.stack, look.kind, state});
}

}  // namespace prof::capture
