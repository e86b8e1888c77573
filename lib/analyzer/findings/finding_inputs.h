// SPDX-License-Identifier: Apache-2.0
//
// The inputs of the rules about a run: one device's operations as intervals, its idle time by
// cause, and the losses.
#ifndef PROF_LIB_ANALYZER_FINDINGS_FINDING_INPUTS_H_
#define PROF_LIB_ANALYZER_FINDINGS_FINDING_INPUTS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/analyzer/base/intervals.h"
#include "lib/analyzer/timeline/idle_start.h"
#include "lib/analyzer/timeline/iterations.h"
#include "lib/analyzer/timeline/step_times.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

struct RunInputs {
  const model::Model& model;
  const DeviceTimeline& device;
  const Iterations& iterations;
  double span_ns = 0;
  int64_t kernels_ns = 0;               // in which a kernel of the device ran
  std::array<double, 7> idle_ns{};      // by GapCause
  std::array<int64_t, 7> idle_count{};  // by GapCause
  DeviceSteps steps;
  IdleStart start;              // by host work
  std::string lost_operations;  // why idle time may be work without a record; may be empty
  std::string lost_ranges;      // why NVTX paths may be wrong; may be empty

  double Idle(GapCause cause) const { return idle_ns[static_cast<size_t>(cause)]; }
  // The gap that an operation ended; 0: there is none, it is prof's, or its cause is not known.
  // Takes log n.
  double IdleBefore(int32_t op) const;
  // The part of it in which code was loaded.
  double LoadingBefore(int32_t op) const;
  // The same of a gap that a launch closed, also while the queue fills again after a wait, without
  // what went to the loading of code.
  double LaunchGapBefore(int32_t op) const;
  double Share(double ns) const { return span_ns > 0 ? ns / span_ns : 0; }
};

// A kernel, or a whole graph, that is evidence on the device.
[[nodiscard]] bool IsKernelOf(const DeviceTimeline& device, const model::Op& op);
// The union of all kernels of the device.
[[nodiscard]] IntervalUnion KernelTimes(const model::Model& model, const DeviceTimeline& device);

// Keeps references.
[[nodiscard]] RunInputs GatherRunInputs(const model::Model& model, const DeviceTimeline& device,
                                        const Iterations& iterations, double span_ns);

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

// A finding with `withheld_why` rests on incomplete records: it is named without a gain or an
// action.
void WithholdIfIncomplete(Finding* finding);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_FINDINGS_FINDING_INPUTS_H_
