// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/verdict_other.h"

#include <optional>
#include <string>

#include "lib/analyzer/base/communication.h"
#include "lib/analyzer/base/rule_text.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/rules/rule_actions.h"
#include "lib/analyzer/rules/rule_confidence.h"
#include "lib/analyzer/rules/rule_evidence.h"
#include "lib/format/depth.h"
#include "lib/format/metric_names.h"
#include "lib/format/waiting_kernels.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::analyzer {

bool LaunchSized(const RuleInputs& inputs) {
  return inputs.kernel != nullptr && inputs.duration_ns > 0 &&
         inputs.duration_ns < kLaunchSizedNs && !inputs.kernel->whole_graph;
}

// The duration of a launch-sized kernel decides without any unit.
bool NotMeasured(const RuleInputs& inputs) { return !inputs.measured && !LaunchSized(inputs); }

void FillNotMeasured(const RuleInputs& inputs, Verdict* verdict) {
  const KernelReport& kernel = *inputs.kernel;
  verdict->summary = kernel.whole_graph
                         ? "It is a CUDA graph that was recorded without its kernels."
                         : "Neither counters nor PM samples have a value of this kernel.";
  if (kernel.samples_rejected > 0) {
    verdict->missing = "a sample of this kernel alone: all " +
                       std::to_string(kernel.samples_rejected) +
                       " overlapped other GPU work or were taken at another clock";
  } else if (kernel.whole_graph) {
    verdict->missing =
        "its nodes: the graph was recorded as a whole, as requested; record it by node to see "
        "its kernels";
  } else if (kernel.in_graph) {
    verdict->missing =
        "PM samples of it (record for longer), or counters outside of the graph: CUPTI does not "
        "count the kernels of a CUDA graph one by one";
  } else if (!kernel.metrics.empty()) {
    verdict->missing = "a usable value: no throughput counter has a finite one";
  } else if (format::WaitsForOthers(kernel.full_name.c_str())) {
    verdict->missing =
        "PM samples of it (record for longer): its name shows that it may wait for the host or for "
        "other kernels, and such a kernel is never counted";
  } else if (!kernel.continuous.empty()) {
    verdict->missing = "PM samples or counters of it: PM sampling ran, and no sample of its " +
                       text::Plural(kernel.launches, "launch", "launches") + " can be used (" +
                       WayTo(inputs, format::kNeedsUse) + ")";
  } else {
    verdict->missing =
        "a sample: none of its " + text::Plural(kernel.launches, "launch", "launches") +
        " has one. Counters and PM sampling were off, chose other kernels, or had used up their "
        "budget; the first launch of a signature is left alone (record for longer, or with "
        "--counters all)";
  }
  AddMissingPmValues(inputs, verdict);
}

bool IsOfNccl(const RuleInputs& inputs) { return IsCommunication(inputs.kernel->name); }

// Its blocks wait for those of other GPUs, and its grid is as large as its channels, so neither
// idle units nor a small grid are a reason.
void FillCommunication(const RuleInputs& inputs, Verdict* verdict) {
  verdict->summary =
      "It waits for other ranks, or moves data between them: which of these does not show here.";
  AddDoubt("by-name", "its name shows what it does; how long it waits for others is not known",
           verdict);
  verdict->missing = "the recordings of the other ranks (prof ranks): how long it waits for them";
  const Statistic& duration = inputs.kernel->duration_ns;
  if (duration.n > 0) {
    verdict->evidence.push_back(Describe("duration", duration, "us", "timeline", 1e-3));
  }
  AddBusiestUnits(inputs, verdict);
  AddGrid(inputs, verdict);
  verdict->actions.push_back(MakeAction(
      "wait-less-for-ranks",
      {std::nullopt, "nothing here bounds it: how long it waits is in the recordings of all"}));
}

void FillLaunchSized(const RuleInputs& inputs, Verdict* verdict) {
  verdict->summary = "It runs for " + text::Time(inputs.duration_ns) +
                     " only: launching it, filling and draining the GPU dominate.";
  if (inputs.leader && inputs.leader->of_peak >= kBusy) {
    verdict->summary += " Its busiest unit is " + DescribeUse(*inputs.leader) + ".";
  }
  const Statistic& duration = inputs.kernel->duration_ns;
  if (duration.n > 0 && !inputs.kernel->duration_from_counters) {
    verdict->evidence.push_back(Describe("duration", duration, "us", "timeline", 1e-3));
  } else {
    AddMetric(inputs, "duration", "us", format::kWindowMetric, verdict, 1e-3);
  }
  AddBusiestUnits(inputs, verdict);
  AddGrid(inputs, verdict);
  verdict->actions.push_back(
      MakeAction(inputs.kernel->in_graph ? "merge-graph-nodes" : "merge-launches",
                 {std::nullopt,
                  "nothing that was measured bounds it: another kernel may do all of its work on "
                  "the way"}));
  AddDoubtsOfLaunchSize(inputs, verdict);
}

void FillUnknown(const RuleInputs& inputs, Verdict* verdict) {
  AddDoubt("nothing-stands-out", "nothing that was measured explains its time", verdict);
  AddBusiestUnits(inputs, verdict);
  AddStalls(inputs, verdict);
  AddWarps(inputs, verdict);
  if (!inputs.unknown.empty()) {
    verdict->summary = "Not all units were measured, and none of the others is busy.";
    verdict->missing = MissingUses(inputs);
    AddMissingPmValues(inputs, verdict);
  } else {
    verdict->summary = "No unit is busy, and the stalls do not explain its time.";
    verdict->missing = "PC samples: which instructions the warps are at";
  }
}

}  // namespace prof::analyzer
