// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/launch_gate.h"

#include <unistd.h>

#include "lib/capture/process/clock.h"

namespace prof::cupti {

void LaunchGate::Wait(const void* context) const {
  const int64_t until_ns = capture::MonotonicNs() + kLongestWaitNs;
  while (closed_for_.load(std::memory_order_acquire) == context &&
         capture::MonotonicNs() < until_ns) {
    usleep(50);
  }
}

}  // namespace prof::cupti
