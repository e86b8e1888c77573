// SPDX-License-Identifier: Apache-2.0
//
// The held-up watch notices a launch that does not return from its counter range.
#ifndef PROF_CUPTI_BACKEND_SAMPLING_HELD_UP_WATCH_H_
#define PROF_CUPTI_BACKEND_SAMPLING_HELD_UP_WATCH_H_

#include <atomic>
#include <cstdint>
#include <optional>

#include "cupti_backend/schedule/sample_schedule.h"

namespace prof::cupti {

// There is one open range at a time. No lock, no allocation.
class HeldUpWatch {
 public:
  // A range that is open for so long holds the program up.
  static constexpr int64_t kHeldUpNs = 5'000'000'000;

  struct Launch {
    SampleSchedule::Entry* signature;
    const char* kernel_name;  // nullptr: no kernel
  };

  // The launching thread.
  void BeginRange(const Launch& launch, int64_t now_ns) {
    signature_.store(launch.signature);
    kernel_name_.store(launch.kernel_name);
    since_ns_.store(now_ns);
  }
  void EndRange() { since_ns_.store(0); }

  // The worker: the launch that has been under its range for kHeldUpNs.
  [[nodiscard]] std::optional<Launch> Find(int64_t now_ns) const {
    const int64_t since_ns = since_ns_.load();
    if (since_ns == 0 || now_ns - since_ns < kHeldUpNs) return std::nullopt;
    SampleSchedule::Entry* signature = signature_.load();
    if (signature == nullptr) return std::nullopt;
    return Launch{signature, kernel_name_.load()};
  }

 private:
  std::atomic<int64_t> since_ns_{0};  // 0: no range is open
  std::atomic<SampleSchedule::Entry*> signature_{nullptr};
  std::atomic<const char*> kernel_name_{nullptr};
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SAMPLING_HELD_UP_WATCH_H_
