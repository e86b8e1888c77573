// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/stream_watch.h"

#include <sched.h>

#include <algorithm>

#include "lib/capture/process/clock.h"
#include "lib/capture/process/thread_id.h"

namespace prof::cupti {
namespace {

constexpr int64_t kDestroyWaitNs = 100'000'000;

uintptr_t KeyOfStream(CUstream stream) { return reinterpret_cast<uintptr_t>(stream) + 1; }
CUstream StreamOfKey(uintptr_t key) {
  return reinterpret_cast<CUstream>(key - 1);  // NOLINT(performance-no-int-to-ptr): was one
}
// Each thread has one of its own under this handle, which nobody else can query.
bool IsPerThread(uintptr_t key) { return key == KeyOfStream(CU_STREAM_PER_THREAD); }

// Correlation ids wrap around.
bool Later(uint32_t a, uint32_t b) { return static_cast<int32_t>(a - b) > 0; }

}  // namespace

void StreamWatch::SetSeveral() {
  if (several_.exchange(true, std::memory_order_relaxed)) return;
  // The order within one stream proves nothing from now on, also for what is still queued.
  Doubt(doubted_.load(std::memory_order_relaxed) + 1);
}

void StreamWatch::Seen(CUstream stream) {
  const uintptr_t key = KeyOfStream(stream);
  if (IsPerThread(key)) {
    const uint32_t thread = capture::CurrentThreadId();
    uint32_t owner = 0;
    if (!thread_.compare_exchange_strong(owner, thread, std::memory_order_relaxed) &&
        owner != thread) {
      SetSeveral();
      too_many_.store(true, std::memory_order_relaxed);
      return;
    }
  }
  if (last_.load(std::memory_order_acquire) == key) return;
  // First: a thread that finds it in `last_` relies on it that Idle asks for it.
  if (!Place(key)) too_many_.store(true, std::memory_order_relaxed);
  const uintptr_t before = last_.exchange(key, std::memory_order_acq_rel);
  if (before != 0 && before != key) SetSeveral();
}

bool StreamWatch::Place(uintptr_t key) {
  for (Slot& slot : slots_) {
    uintptr_t known = slot.load(std::memory_order_relaxed);
    if (known == 0 && slot.compare_exchange_strong(known, key, std::memory_order_acq_rel)) {
      return true;
    }
    if (known == key) return true;
  }
  return false;
}

void StreamWatch::Destroyed(CUstream stream) {
  const uintptr_t key = KeyOfStream(stream);
  for (Slot& slot : slots_) {
    uintptr_t known = key;
    slot.compare_exchange_strong(known, 0, std::memory_order_seq_cst);
  }
  uintptr_t last = key;
  last_.compare_exchange_strong(last, 0, std::memory_order_relaxed);  // the next one is looked up
  const int64_t until_ns = capture::MonotonicNs() + kDestroyWaitNs;
  while (readers_.load(std::memory_order_seq_cst) != 0 && capture::MonotonicNs() < until_ns) {
    sched_yield();
  }
}

void StreamWatch::Doubt(uint32_t correlation) {
  uint32_t last = doubted_.load(std::memory_order_relaxed);
  while (Later(correlation, last) &&
         !doubted_.compare_exchange_weak(last, correlation, std::memory_order_relaxed)) {
  }
}

bool StreamWatch::Doubtful(uint32_t ended) const {
  const uint32_t doubted = doubted_.load(std::memory_order_relaxed);
  if (doubted == cleared_.load(std::memory_order_relaxed)) return false;
  return several() || !Later(ended, doubted);
}

// To query a stream while one is being captured may spoil the capture: so this is asked of all of
// them first.
bool StreamWatch::Captures(const DriverApi& driver) const {
  return std::any_of(slots_.begin(), slots_.end(), [&](const Slot& slot) {
    const uintptr_t key = slot.load(std::memory_order_seq_cst);
    CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;
    return key != 0 && (driver.stream_is_capturing(StreamOfKey(key), &capturing) != CUDA_SUCCESS ||
                        capturing != CU_STREAM_CAPTURE_STATUS_NONE);
  });
}

bool StreamWatch::Done(const DriverApi& driver, uintptr_t but) const {
  return std::all_of(slots_.begin(), slots_.end(), [&](const Slot& slot) {
    const uintptr_t key = slot.load(std::memory_order_seq_cst);
    return key == 0 || key == but || driver.stream_query(StreamOfKey(key)) == CUDA_SUCCESS;
  });
}

bool StreamWatch::AskAll(const DriverApi& driver, uintptr_t but) const {
  if (too_many_.load(std::memory_order_relaxed)) return false;
  const uint32_t thread = thread_.load(std::memory_order_relaxed);
  if (thread != 0 && thread != capture::CurrentThreadId()) return false;
  return !Captures(driver) && Done(driver, but);
}

bool StreamWatch::Idle(const DriverApi& driver, Scope scope, CUstream own) {
  const uint32_t doubted = doubted_.load(std::memory_order_seq_cst);  // before the streams
  readers_.fetch_add(1, std::memory_order_seq_cst);
  const bool idle = AskAll(driver, scope == Scope::kAll ? 0 : KeyOfStream(own));
  readers_.fetch_sub(1, std::memory_order_seq_cst);
  if (idle && scope == Scope::kAll) cleared_.store(doubted, std::memory_order_relaxed);
  return idle;
}

}  // namespace prof::cupti
