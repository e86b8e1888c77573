// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/wire/gpu_state_columns.h"

namespace prof::capture {

void GpuStateColumns::Add(const GpuStateEvent& event) {
  kind.push_back(static_cast<int32_t>(event.kind));
  device.push_back(event.device);
  value.push_back(event.value);
  second.push_back(event.second);
  reasons.push_back(event.reasons);
  time.Add(event.time_ns);
}

}  // namespace prof::capture
