// SPDX-License-Identifier: Apache-2.0
//
// GPU state columns hold what the driver read of clocks, temperature and power.
#ifndef PROF_LIB_CAPTURE_WIRE_GPU_STATE_COLUMNS_H_
#define PROF_LIB_CAPTURE_WIRE_GPU_STATE_COLUMNS_H_

#include <cstdint>
#include <vector>

#include "lib/capture/events/events.h"
#include "lib/capture/wire/delta_columns.h"

namespace prof::capture {

struct GpuStateColumns {
  std::vector<int32_t> kind;
  std::vector<uint32_t> device, value, second, reasons;
  DeltaColumn time;

  void Add(const GpuStateEvent& event);
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WIRE_GPU_STATE_COLUMNS_H_
