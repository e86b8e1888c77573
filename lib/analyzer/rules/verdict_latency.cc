// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/verdict_latency.h"

#include <algorithm>
#include <string>

#include "lib/analyzer/base/rule_text.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/rules/rule_evidence.h"
#include "lib/analyzer/rules/rule_notes.h"
#include "lib/analyzer/rules/rule_stalls.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::analyzer {

bool SmallGrid(const RuleInputs& inputs) {
  const Occupancy& occupancy = inputs.kernel->occupancy;
  return occupancy.known && occupancy.waves > 0 && occupancy.waves < 1 && inputs.sm_count > 0 &&
         inputs.unknown.empty() && inputs.busiest < kBusy &&
         1 - inputs.blocks / inputs.sm_count >= kIdleSms;
}

// Less than a wave, whether it covers all SMs or not.
bool PartialWavePrimary(const RuleInputs& inputs) {
  const Occupancy& occupancy = inputs.kernel->occupancy;
  return occupancy.known && occupancy.waves > 0 && occupancy.waves < 1 && inputs.busiest < kBusy &&
         inputs.unknown.empty();
}

void FillSmallGrid(const RuleInputs& inputs, Verdict* verdict) {
  const double waves = inputs.kernel->occupancy.waves;
  verdict->summary = text::Fixed(inputs.blocks, 0) + " blocks are " + text::Percent(waves) +
                     " of one wave: most of the device has nothing to do.";
  AddGrid(inputs, verdict);
  AddActivity(inputs, verdict);
  if (inputs.leader) AddUnit(inputs, *inputs.leader, verdict);
  AddWarps(inputs, verdict);
  verdict->action =
      "Give it more blocks: split the reduction (split-K), use smaller blocks, batch, or run it "
      "beside other kernels.";
  verdict->gain_at_most = std::min(1 - waves, 1 - inputs.busiest);
  verdict->gain_formula = "min(1 - " + text::Fixed(waves, 3) + " waves, 1 - " +
                          text::Fixed(inputs.busiest, 3) + " (busiest unit))";
  // The launch record decides; counters only rule out that a unit is busy.
  verdict->confidence = DecideConfidence(inputs, 1 - waves, 1 - inputs.busiest,
                                         inputs.leader ? inputs.SamplesOf(*inputs.leader) : 0);
}

void FillPartialWave(const RuleInputs& inputs, Verdict* verdict) {
  FillSmallGrid(inputs, verdict);
  verdict->summary = "The grid fills " + text::Percent(inputs.kernel->occupancy.waves) +
                     " of one wave, and no unit is busy.";
  verdict->confidence = Confidence::kLow;
  if (inputs.stalls.empty()) {
    verdict->missing = "warp stall reasons (" + WayTo(inputs, format::kNeedsStalls) + ")";
  }
}

bool Waiting(const RuleInputs& inputs) {
  return inputs.unknown.empty() && inputs.busiest < kBusy && inputs.issue &&
         *inputs.issue < kIssueHealthy && !inputs.stalls.empty() &&
         inputs.stalls.front().share >= kStallShare;
}

namespace {

// If a unit would be busy without the idle SMs, these are the cause, not the stalls.
bool IdleSmsExplain(const RuleInputs& inputs) {
  if (!Waiting(inputs)) return inputs.unknown.empty() && inputs.busiest < kBusy;
  return inputs.active && *inputs.active > 0 && inputs.busiest / *inputs.active >= kBusy;
}

}  // namespace

namespace {

std::string IdleShare(const RuleInputs& inputs) {
  return inputs.pm_active ? "at least " + text::Percent(*inputs.imbalance) + " of its time"
                          : text::Percent(*inputs.imbalance) + " of the busiest one's time";
}

std::string IdleFormula(const RuleInputs& inputs) {
  const std::string what = inputs.pm_active ? "1 - SM activity - " + text::Time(kFillAndDrainNs) +
                                                  " to fill and drain the GPU"
                                            : "1 - average / maximum SM activity";
  return what + " = " + text::Fixed(*inputs.imbalance, 3);
}

}  // namespace

bool TailPrimary(const RuleInputs& inputs) { return HasTail(inputs) && IdleSmsExplain(inputs); }
bool ImbalancePrimary(const RuleInputs& inputs) {
  return IsImbalanced(inputs) && IdleSmsExplain(inputs);
}

void FillTail(const RuleInputs& inputs, Verdict* verdict) {
  const Occupancy& occupancy = inputs.kernel->occupancy;
  verdict->summary = "The last of " + text::Fixed(occupancy.waves, 2) +
                     " waves is partial: the SMs are idle for " + IdleShare(inputs) + ".";
  AddGrid(inputs, verdict);
  AddActivity(inputs, verdict);
  verdict->action =
      "Resize the grid to whole waves, use smaller blocks, or a persistent kernel (stream-K).";
  verdict->gain_at_most = std::min(occupancy.tail_lost, *inputs.imbalance);
  verdict->gain_formula = "min((ceil(w) - w) / ceil(w) = " + text::Fixed(occupancy.tail_lost, 3) +
                          ", " + IdleFormula(inputs) + ")";
  verdict->confidence = DecideConfidence(inputs, 0, 0, inputs.activity_samples);
}

void FillImbalance(const RuleInputs& inputs, Verdict* verdict) {
  verdict->summary = "Some SMs work much longer than others: the average one is idle for " +
                     IdleShare(inputs) + ".";
  AddActivity(inputs, verdict);
  AddWarps(inputs, verdict);
  AddGrid(inputs, verdict);
  verdict->action = "Even out the work per block: smaller blocks, or a work queue.";
  verdict->gain_at_most = *inputs.imbalance;
  verdict->gain_formula = IdleFormula(inputs);
  verdict->confidence = DecideConfidence(inputs, 0, 0, inputs.activity_samples);
}

bool NoUnitBusy(const RuleInputs& inputs) {
  return inputs.unknown.empty() && inputs.busiest < kBusy && inputs.stalls.empty();
}

void FillNoUnitBusy(const RuleInputs& inputs, Verdict* verdict) {
  verdict->summary = "No unit is busy";
  if (inputs.leader) verdict->summary += " (highest: " + DescribeUse(*inputs.leader) + ")";
  verdict->summary += ": its warps wait, but for what was not measured.";
  AddBusiestUnits(inputs, verdict);
  AddActivity(inputs, verdict);
  AddWarps(inputs, verdict);
  verdict->action = "Read the stall reasons first: they show which change would help.";
  verdict->gain_at_most = 1 - inputs.busiest;
  verdict->gain_formula = "1 - " + text::Fixed(inputs.busiest, 3) + " (busiest unit)";
  verdict->confidence = std::min(
      Confidence::kMedium, DecideConfidence(inputs, kSaturated, kBusy - inputs.busiest,
                                            inputs.leader ? inputs.SamplesOf(*inputs.leader) : 0));
  verdict->missing =
      "warp stall reasons (" + WayTo(inputs, format::kNeedsStalls) + "): what the warps wait for";
}

// More warps would be resident, would find blocks to run, and would hide what the warps wait for.
bool OccupancyLimited(const RuleInputs& inputs) {
  const Occupancy& occupancy = inputs.kernel->occupancy;
  return Waiting(inputs) && occupancy.known && occupancy.waves > 1 &&
         occupancy.theoretical < kLowTheoretical && !occupancy.limited_by.empty() &&
         AdviceOn(inputs.stalls.front().reason).hidden_by_warps && inputs.eligible &&
         *inputs.eligible < kEligibleEnough && inputs.UseOf(Unit::kTensor) < kTensorKernel;
}

void FillLatency(const RuleInputs& inputs, Verdict* verdict) {
  const Stall& top = inputs.stalls.front();
  const StallAdvice& advice = AdviceOn(top.reason);
  const double second = inputs.stalls.size() > 1 ? inputs.stalls[1].share : 0;
  verdict->stall = top.reason;
  verdict->summary = "Warps wait: " + text::Percent(top.share) + " of their time for " +
                     std::string(advice.waits_for) + " (" + std::string(top.reason) + ").";
  verdict->action = advice.action;
  AddStalls(inputs, verdict);
  AddWarps(inputs, verdict);
  if (inputs.leader) AddUnit(inputs, *inputs.leader, verdict);
  verdict->gain_at_most = std::min({1 - *inputs.issue, 1 - inputs.busiest, top.share});
  verdict->gain_formula = "min(1 - " + text::Fixed(*inputs.issue, 3) + " (issue slots), 1 - " +
                          text::Fixed(inputs.busiest, 3) + " (busiest unit), " +
                          text::Fixed(top.share, 3) + " (share of the stall))";
  verdict->confidence =
      DecideConfidence(inputs, top.share, top.share - second,
                       inputs.SamplesOf("smsp__issue_active.avg.per_cycle_active"));
  if (top.share < kStallShareClear) verdict->confidence = Confidence::kLow;
  if (top.reason == "long_scoreboard") {
    AddMemoryAccess(inputs, verdict);
    if (!inputs.Median("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")) {
      verdict->missing = "sectors per request and hit rates (--counters all): why the data is late";
    }
  }
}

void FillOccupancy(const RuleInputs& inputs, Verdict* verdict) {
  FillLatency(inputs, verdict);
  const Occupancy& occupancy = inputs.kernel->occupancy;
  const std::string limits = text::Enumerate(occupancy.limited_by);
  verdict->summary = "Warps wait for " + std::string(AdviceOn(verdict->stall).waits_for) + " (" +
                     verdict->stall + "), and " + limits + " allow only " +
                     text::Percent(occupancy.theoretical) + " of the warps that would hide it.";
  verdict->evidence.push_back(
      "theoretical occupancy " + text::Percent(occupancy.theoretical) +
      ", blocks per SM allowed by: " + "block slots " + std::to_string(occupancy.limit_blocks) +
      ", warps " + std::to_string(occupancy.limit_warps) + ", registers " +
      std::to_string(occupancy.limit_registers) + " (" +
      std::to_string(inputs.kernel->registers_per_thread) + " per thread), shared memory " +
      std::to_string(occupancy.limit_shared) + " (" +
      text::Bytes(inputs.kernel->static_shared_bytes + inputs.kernel->dynamic_shared_bytes) +
      " per block) (launch record)");
  verdict->action = "Raise occupancy, which " + limits +
                    " limit: smaller tiles, __launch_bounds__, another block size; or have more "
                    "loads in flight per thread.";
  verdict->gain_at_most = std::min(verdict->gain_at_most, 1 - occupancy.theoretical);
  verdict->gain_formula = "min of " + verdict->gain_formula + " and 1 - " +
                          text::Fixed(occupancy.theoretical, 3) + " (theoretical occupancy)";
}

}  // namespace prof::analyzer
