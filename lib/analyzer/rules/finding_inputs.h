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
  std::vector<std::pair<int32_t, double>> gaps;  // all of them; sorted as well
  std::string lost_operations;  // why idle time may be work without a record; may be empty
  std::string lost_ranges;      // why NVTX paths may be wrong; may be empty

  double Idle(GapCause cause) const { return idle_ns[static_cast<size_t>(cause)]; }
  double LaunchGapBefore(int32_t op) const;
  double IdleBefore(int32_t op) const;  // of any cause
  double Share(double ns) const { return span_ns > 0 ? ns / span_ns : 0; }
};

[[nodiscard]] RunInputs GatherRunInputs(const model::Model& model, const DeviceTimeline& device,
                                        double span_ns);

// A finding and what orders it: the time that the records show it to cost. Its bound may be far
// above that, and says less.
struct RatedFinding : Finding {
  RatedFinding() = default;
  RatedFinding(Finding finding)  // NOLINT(google-explicit-constructor): where the bound is the cost
      : RatedFinding(std::move(finding), -1) {
    cost_ns = gain_at_most_ns;
  }
  RatedFinding(Finding finding, double cost) : Finding(std::move(finding)), cost_ns(cost) {}

  double cost_ns = 0;
};

using MaybeFinding = std::optional<RatedFinding>;

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_FINDING_INPUTS_H_
