// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/capture_watch.h"

#include "lib/capture/process/clock.h"
#include "lib/capture/process/timed_wait.h"

namespace prof::cupti {
namespace {

constexpr int64_t kCaptureLookNs = 50'000;  // between two looks of a capture that waits

void WaitWhile(int64_t longest_ns, const std::function<bool()>& condition) {
  const int64_t until_ns = capture::MonotonicNs() + longest_ns;
  while (condition() && capture::MonotonicNs() < until_ns) capture::SleepNs(kCaptureLookNs);
}

}  // namespace

bool CaptureWatch::EnterBetween(int64_t longest_ns, const std::atomic<bool>& given_up,
                                const std::function<bool()>& wait) {
  const int64_t until_ns = capture::MonotonicNs() + longest_ns;
  wanted_.fetch_add(1);
  bool entered = false;
  while (!given_up.load()) {
    const Hold none(this);
    entered = static_cast<bool>(none);
    if (entered) entered_ns_.store(capture::MonotonicNs());
    if (entered || capture::MonotonicNs() >= until_ns) break;
    capture::SleepNs(kCaptureLookNs);
  }
  wanted_.fetch_sub(1);
  return entered && wait();
}

// The default stream cannot be captured: nullptr is free.
void CaptureWatch::Begin(CUstream stream) {
  if (stream == nullptr) return;
  // Beside another capture this one would wait in vain.
  if (wanted_.load() != 0) {
    WaitWhile(2 * kEntryNs, [&] { return wanted_.load() != 0 && !active(); });
  }
  for (std::atomic<CUstream>& slot : streams_) {
    CUstream known = nullptr;
    if (slot.compare_exchange_strong(known, stream)) {
      active_.fetch_add(1);
      break;
    }
    if (known == stream) return;
  }
  if (holds_.load() != 0) WaitWhile(kLongestWaitNs, [&] { return holds_.load() != 0; });
  const int64_t entered_ns = entered_ns_.load();
  if (entered_ns == 0) return;
  WaitWhile(kEntryNs, [&] { return capture::MonotonicNs() < entered_ns + kEntryNs; });
}

void CaptureWatch::End(CUstream stream) {
  if (stream == nullptr || !active()) return;
  for (std::atomic<CUstream>& slot : streams_) {
    CUstream known = stream;
    if (slot.compare_exchange_strong(known, nullptr)) active_.fetch_sub(1);
  }
}

}  // namespace prof::cupti
