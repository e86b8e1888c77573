// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/stream_watch.h"

#include <sched.h>

#include "lib/capture/process/clock.h"

namespace prof::cupti {
namespace {

uintptr_t KeyOf(CUstream stream) { return reinterpret_cast<uintptr_t>(stream) + 1; }
CUstream StreamOf(uintptr_t key) {
  return reinterpret_cast<CUstream>(key - 1);  // NOLINT(performance-no-int-to-ptr): was one
}

}  // namespace

void StreamWatch::Seen(CUstream stream) {
  const uintptr_t key = KeyOf(stream);
  if (last_.load(std::memory_order_relaxed) == key) return;
  if (last_.exchange(key, std::memory_order_relaxed) != 0) {
    several_.store(true, std::memory_order_relaxed);
  }
  for (Slot& slot : slots_) {
    uintptr_t known = slot.load(std::memory_order_relaxed);
    if (known == key) return;
    if (known == 0 && slot.compare_exchange_strong(known, key, std::memory_order_acq_rel)) return;
    if (known == key) return;
  }
  too_many_.store(true, std::memory_order_relaxed);
}

void StreamWatch::Destroyed(CUstream stream) {
  uintptr_t key = KeyOf(stream);
  for (Slot& slot : slots_) {
    uintptr_t known = key;
    slot.compare_exchange_strong(known, 0, std::memory_order_acq_rel);
  }
  last_.compare_exchange_strong(key, 0, std::memory_order_relaxed);  // the next stream is looked up
}

bool StreamWatch::Idle(const DriverApi& driver, bool* hopeless) const {
  for (const Slot& slot : slots_) {
    const uintptr_t key = slot.load(std::memory_order_acquire);
    if (key == 0) continue;
    // To query a stream that is being captured would spoil the capture.
    CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;
    if (driver.stream_is_capturing(StreamOf(key), &capturing) != CUDA_SUCCESS ||
        capturing != CU_STREAM_CAPTURE_STATUS_NONE) {
      *hopeless = true;
      return false;
    }
    const CUresult done = driver.stream_query(StreamOf(key));
    if (done == CUDA_SUCCESS) continue;
    *hopeless = done != CUDA_ERROR_NOT_READY;
    return false;
  }
  return true;
}

bool StreamWatch::IdleWithin(const DriverApi& driver, int64_t patience_ns) const {
  if (too_many_.load(std::memory_order_relaxed)) return false;
  const int64_t until_ns = capture::MonotonicNs() + patience_ns;
  bool hopeless = false;
  while (!Idle(driver, &hopeless)) {
    if (hopeless || capture::MonotonicNs() > until_ns) return false;
    sched_yield();
  }
  return true;
}

}  // namespace prof::cupti
