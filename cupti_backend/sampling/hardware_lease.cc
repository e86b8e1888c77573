// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/hardware_lease.h"

#include <sched.h>

#include "lib/capture/process/clock.h"

namespace prof::cupti {

void HardwareLease::Release() {
  if (lock_ != nullptr) lock_->taken_.store(false, std::memory_order_release);
  lock_ = nullptr;
}

HardwareLease HardwareLock::TakeWithin(int64_t timeout_ns) {
  const int64_t until_ns = capture::MonotonicNs() + timeout_ns;
  while (true) {
    if (HardwareLease lease = TryTake()) return lease;
    if (capture::MonotonicNs() > until_ns) return {};
    sched_yield();
  }
}

}  // namespace prof::cupti
