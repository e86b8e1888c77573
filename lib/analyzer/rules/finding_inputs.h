// SPDX-License-Identifier: Apache-2.0
//
// The inputs of the rules about a run: one device's operations as intervals, its idle time by
// cause, and the losses.
#ifndef PROF_LIB_ANALYZER_RULES_FINDING_INPUTS_H_
#define PROF_LIB_ANALYZER_RULES_FINDING_INPUTS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/analyzer/base/intervals.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

struct RunInputs {
  const model::Model& model;
  const DeviceTimeline& device;
  double span_ns = 0;
  IntervalUnion kernels;                // union of all kernels of the device
  std::array<double, 7> idle_ns{};      // by GapCause
  std::array<int64_t, 7> idle_count{};  // by GapCause
  // Those that a launch closed, also while the queue fills again after a wait: the operation that
  // ended it, and its length. Sorted.
  std::vector<std::pair<int32_t, double>> launch_gaps;
  std::string lost_operations;  // why idle time may be work without a record; may be empty
  std::string lost_ranges;      // why NVTX paths may be wrong; may be empty

  double Idle(GapCause cause) const { return idle_ns[static_cast<size_t>(cause)]; }
  double LaunchGapBefore(int32_t op) const;
  double Share(double ns) const { return span_ns > 0 ? ns / span_ns : 0; }
};

[[nodiscard]] RunInputs GatherRunInputs(const model::Model& model, const DeviceTimeline& device,
                                        double span_ns);

using MaybeFinding = std::optional<Finding>;

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_FINDING_INPUTS_H_
