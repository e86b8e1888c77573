// SPDX-License-Identifier: Apache-2.0
//
// The times of steps on the GPU. A step lasts from the end of the GPU work of the step before to
// that of its own, so that the steps of a run sum to its time, however far the host is ahead.
#ifndef PROF_LIB_ANALYZER_TIMELINE_STEP_TIMES_H_
#define PROF_LIB_ANALYZER_TIMELINE_STEP_TIMES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "lib/analyzer/base/intervals.h"
#include "lib/analyzer/timeline/iterations.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// For each of `iterations` (iterations.h, not empty) the operation that ended last of those that it
// launched: on its thread, and on threads of PyTorch's autograd engine meanwhile. kNoIndex: it
// launched none. Of one device, or of all. Linear where operations are in the order of their calls,
// else n log n.
[[nodiscard]] std::vector<int32_t> LastOperations(const model::Model& model,
                                                  const Iterations& iterations,
                                                  std::optional<uint32_t> device = std::nullopt);

// The steps of a run on one device.
struct DeviceSteps {
  // Parallel to the iterations: the operation that ended last (LastOperations), and whether the
  // step counts.
  std::vector<int32_t> last;
  std::vector<bool> counts;
  size_t counted = 0;
};

// A step counts where prof did not touch it. The first one has no step before it, and the second
// one may have the warm-up. Without `iterations` there are none.
[[nodiscard]] DeviceSteps FindDeviceSteps(const model::Model& model, const Iterations& iterations,
                                          const DeviceTimeline& device);

// What is no evidence on a device: gaps with a part that is prof's, and work that is set aside.
[[nodiscard]] IntervalUnion DisturbedTimes(const DeviceTimeline& device);

// Medians of kDriftParts equal parts of the lengths, which are in the order of time and as many as
// the parts at least. Changes the order within a part.
[[nodiscard]] std::vector<double> PartMedians(std::vector<int64_t>* lengths_ns);
// The share of all pairs of parts in which the later one is longer (Kendall).
[[nodiscard]] double Rising(const std::vector<double>& parts);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TIMELINE_STEP_TIMES_H_
