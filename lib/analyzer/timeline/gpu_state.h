// SPDX-License-Identifier: Apache-2.0
//
// The state of a GPU while it worked: its clocks, temperature and power as the driver read them,
// and what held the clocks down.
#ifndef PROF_LIB_ANALYZER_TIMELINE_GPU_STATE_H_
#define PROF_LIB_ANALYZER_TIMELINE_GPU_STATE_H_

#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"
#include "prof/clock_report.h"

namespace prof::analyzer {

// Over the readings of `device.device` between its first and its last operation, without those in
// gaps of kIdleForClockNs and more, in which the GPU lowers its clocks by itself, and without those
// that prof disturbed.
[[nodiscard]] GpuStateReport SummarizeGpuState(const model::Model& model,
                                               const DeviceTimeline& device);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_GPU_STATE_H_
