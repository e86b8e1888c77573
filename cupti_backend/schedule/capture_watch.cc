// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/capture_watch.h"

#include "lib/capture/process/clock.h"
#include "lib/capture/process/timed_wait.h"

namespace prof::cupti {
namespace {

constexpr int64_t kCaptureLookNs = 50'000;  // between two looks of a capture that waits

}  // namespace

// The default stream cannot be captured: nullptr is free.
void CaptureWatch::Begin(CUstream stream) {
  if (stream == nullptr) return;
  for (std::atomic<CUstream>& slot : streams_) {
    CUstream known = nullptr;
    if (slot.compare_exchange_strong(known, stream)) {
      active_.fetch_add(1);
      break;
    }
    if (known == stream) return;
  }
  if (holds_.load() == 0) return;
  const int64_t until_ns = capture::MonotonicNs() + kLongestWaitNs;
  while (holds_.load() != 0 && capture::MonotonicNs() < until_ns) capture::SleepNs(kCaptureLookNs);
}

void CaptureWatch::End(CUstream stream) {
  if (stream == nullptr || !active()) return;
  for (std::atomic<CUstream>& slot : streams_) {
    CUstream known = stream;
    if (slot.compare_exchange_strong(known, nullptr)) active_.fetch_sub(1);
  }
}

}  // namespace prof::cupti
