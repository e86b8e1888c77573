// SPDX-License-Identifier: Apache-2.0
//
// The triage watch has the triage coverage of each device.
#ifndef PROF_CUPTI_BACKEND_SCHEDULE_TRIAGE_WATCH_H_
#define PROF_CUPTI_BACKEND_SCHEDULE_TRIAGE_WATCH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "cupti_backend/schedule/triage_coverage.h"

namespace prof::cupti {

class TriageWatch {
 public:
  static constexpr int kMaxDevices = 32;

  // nullptr: no device that can be triaged.
  TriageCoverage* Of(int device) {
    return device >= 0 && device < kMaxDevices ? &devices_[static_cast<size_t>(device)] : nullptr;
  }

  // Before the first burst: TriageCoverage::ForgetHalfIn of each device.
  void ForgetHalfIn(int64_t half_life_ns) {
    for (TriageCoverage& device : devices_) device.ForgetHalfIn(half_life_ns);
  }

  // --- The collector thread ---

  // Whether a record is needed.
  bool Wants(uint32_t device, int64_t end_ns) const {
    return device < kMaxDevices && devices_[device].Wants(end_ns);
  }
  // A device has work. TakeSeen: those since the last call, a bit each.
  void See(uint32_t device) {
    if (device < kMaxDevices) seen_ |= uint64_t{1} << device;
  }
  uint64_t TakeSeen() { return std::exchange(seen_, 0); }

 private:
  uint64_t seen_ = 0;
  std::array<TriageCoverage, kMaxDevices> devices_;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SCHEDULE_TRIAGE_WATCH_H_
