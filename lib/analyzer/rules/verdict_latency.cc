// SPDX-License-Identifier: Apache-2.0
//
// Verdicts when no unit is busy: too few blocks, idle SMs, or warps that wait.
#include <algorithm>
#include <string>

#include "lib/analyzer/base/number_text.h"
#include "lib/analyzer/base/rule_text.h"
#include "lib/analyzer/rules/rule_evidence.h"
#include "lib/analyzer/rules/rule_notes.h"
#include "lib/analyzer/rules/rule_stalls.h"
#include "lib/analyzer/rules/thresholds.h"
#include "lib/analyzer/rules/verdicts.h"

namespace prof::analyzer {

bool SmallGrid(const Facts& facts) {
  const Occupancy& occupancy = facts.kernel->occupancy;
  return occupancy.known && occupancy.waves > 0 && occupancy.waves < 1 && facts.sm_count > 0 &&
         facts.unknown.empty() && facts.busiest < kBusy &&
         1 - facts.blocks / facts.sm_count >= kIdleSms;
}

// Less than a wave, whether it covers all SMs or not.
bool PartialWave(const Facts& facts) {
  const Occupancy& occupancy = facts.kernel->occupancy;
  return occupancy.known && occupancy.waves > 0 && occupancy.waves < 1 && facts.busiest < kBusy &&
         facts.unknown.empty();
}

void FillSmallGrid(const Facts& facts, Verdict* verdict) {
  const double waves = facts.kernel->occupancy.waves;
  verdict->summary = FormatFixed(facts.blocks, 0) + " blocks are " + Percent(waves) +
                     " of one wave: most of the device has nothing to do.";
  SayGrid(facts, verdict);
  SayActivity(facts, verdict);
  if (facts.leader) SayUnit(facts, *facts.leader, verdict);
  SayWarps(facts, verdict);
  verdict->action =
      "Give it more blocks: split the reduction (split-K), use smaller blocks, batch, or run it "
      "beside other kernels.";
  verdict->gain_at_most = std::min(1 - waves, 1 - facts.busiest);
  verdict->gain_formula = "min(1 - " + FormatFixed(waves, 3) + " waves, 1 - " +
                          FormatFixed(facts.busiest, 3) + " (busiest unit))";
  // Launch facts; counters only rule out that a unit is busy all the same.
  verdict->confidence = Judge(facts, 1 - waves, 1 - facts.busiest,
                              facts.leader ? SamplesOf(facts, facts.leader->metric) : 0);
}

void FillPartialWave(const Facts& facts, Verdict* verdict) {
  FillSmallGrid(facts, verdict);
  verdict->summary = "The grid fills " + Percent(facts.kernel->occupancy.waves) +
                     " of one wave, and no unit is busy.";
  verdict->confidence = Confidence::kLow;
  if (facts.stalls.empty()) verdict->missing = "warp stall reasons (tier T2)";
}

bool Waiting(const Facts& facts) {
  return facts.unknown.empty() && facts.busiest < kBusy && facts.issue &&
         *facts.issue < kIssueHealthy && !facts.stalls.empty() &&
         facts.stalls.front().share >= kStallShare;
}

namespace {

// Were it not for idle SMs, a unit would be busy: then those are the cause, not the stalls.
bool IdleSmsExplain(const Facts& facts) {
  if (!Waiting(facts)) return facts.unknown.empty() && facts.busiest < kBusy;
  return facts.active && *facts.active > 0 && facts.busiest / *facts.active >= kBusy;
}

}  // namespace

bool TailPrimary(const Facts& facts) { return HasTail(facts) && IdleSmsExplain(facts); }
bool ImbalancePrimary(const Facts& facts) { return IsImbalanced(facts) && IdleSmsExplain(facts); }

void FillTail(const Facts& facts, Verdict* verdict) {
  const Occupancy& occupancy = facts.kernel->occupancy;
  verdict->summary = "The last of " + FormatFixed(occupancy.waves, 2) +
                     " waves is partial: the SMs are idle for " + Percent(*facts.imbalance) +
                     " of the busiest one's time.";
  SayGrid(facts, verdict);
  SayActivity(facts, verdict);
  verdict->action =
      "Resize the grid to whole waves, use smaller blocks, or a persistent kernel (stream-K).";
  verdict->gain_at_most = std::min(occupancy.tail_lost, *facts.imbalance);
  verdict->gain_formula =
      "min((ceil(w) - w) / ceil(w) = " + FormatFixed(occupancy.tail_lost, 3) +
      ", 1 - average / maximum SM activity = " + FormatFixed(*facts.imbalance, 3) + ")";
  verdict->confidence = Judge(facts, 0, 0, SamplesOf(facts, "sm__cycles_active.avg"));
}

void FillImbalance(const Facts& facts, Verdict* verdict) {
  verdict->summary = "Some SMs work much longer than others: the average one is idle for " +
                     Percent(*facts.imbalance) + " of the busiest one's time.";
  SayActivity(facts, verdict);
  SayWarps(facts, verdict);
  SayGrid(facts, verdict);
  verdict->action = "Even out the work per block: smaller blocks, or a work queue.";
  verdict->gain_at_most = *facts.imbalance;
  verdict->gain_formula = "1 - average / maximum SM activity = " + FormatFixed(*facts.imbalance, 3);
  verdict->confidence = Judge(facts, 0, 0, SamplesOf(facts, "sm__cycles_active.avg"));
}

// More warps would be resident, would find blocks to run, and would hide what the warps wait for.
bool OccupancyLimited(const Facts& facts) {
  const Occupancy& occupancy = facts.kernel->occupancy;
  return Waiting(facts) && occupancy.known && occupancy.waves > 1 &&
         occupancy.theoretical < kLowTheoretical && !occupancy.limited_by.empty() &&
         AdviceOn(facts.stalls.front().reason).hidden_by_warps && facts.eligible &&
         *facts.eligible < kEligibleEnough && facts.UseOf(Unit::kTensor) < kTensorKernel;
}

void FillLatency(const Facts& facts, Verdict* verdict) {
  const Stall& top = facts.stalls.front();
  const StallAdvice& advice = AdviceOn(top.reason);
  const double second = facts.stalls.size() > 1 ? facts.stalls[1].share : 0;
  verdict->stall = top.reason;
  verdict->summary = "Warps wait: " + Percent(top.share) + " of their time for " +
                     std::string(advice.waits_for) + " (" + std::string(top.reason) + ").";
  verdict->action = advice.action;
  SayStalls(facts, verdict);
  SayWarps(facts, verdict);
  if (facts.leader) SayUnit(facts, *facts.leader, verdict);
  verdict->gain_at_most = std::min({1 - *facts.issue, 1 - facts.busiest, top.share});
  verdict->gain_formula = "min(1 - " + FormatFixed(*facts.issue, 3) + " (issue slots), 1 - " +
                          FormatFixed(facts.busiest, 3) + " (busiest unit), " +
                          FormatFixed(top.share, 3) + " (share of the stall))";
  verdict->confidence = Judge(facts, top.share, top.share - second,
                              SamplesOf(facts, "smsp__issue_active.avg.per_cycle_active"));
  if (top.share < kStallShareClear) verdict->confidence = Confidence::kLow;
  if (top.reason == "long_scoreboard") {
    SayMemoryAccess(facts, verdict);
    if (!Median(*facts.kernel, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")) {
      verdict->missing = "sectors per request and hit rates (tier T3): why the data is late";
    }
  }
}

void FillOccupancy(const Facts& facts, Verdict* verdict) {
  FillLatency(facts, verdict);
  const Occupancy& occupancy = facts.kernel->occupancy;
  const std::string limits = Join(occupancy.limited_by);
  verdict->summary = "Warps wait for " + std::string(AdviceOn(verdict->stall).waits_for) + " (" +
                     verdict->stall + "), and " + limits + " allow only " +
                     Percent(occupancy.theoretical) + " of the warps that would hide it.";
  verdict->evidence.push_back(
      "theoretical occupancy " + Percent(occupancy.theoretical) +
      ", blocks per SM allowed by: " + "block slots " + std::to_string(occupancy.limit_blocks) +
      ", warps " + std::to_string(occupancy.limit_warps) + ", registers " +
      std::to_string(occupancy.limit_registers) + " (" +
      std::to_string(facts.kernel->registers_per_thread) + " per thread), shared memory " +
      std::to_string(occupancy.limit_shared) + " (" +
      FormatBytes(facts.kernel->static_shared_bytes + facts.kernel->dynamic_shared_bytes) +
      " per block) (launch record)");
  verdict->action = "Raise occupancy, which " + limits +
                    " limit: smaller tiles, __launch_bounds__, another block size; or have more "
                    "loads in flight per thread.";
  verdict->gain_at_most = std::min(verdict->gain_at_most, 1 - occupancy.theoretical);
  verdict->gain_formula = "min of " + verdict->gain_formula + " and 1 - " +
                          FormatFixed(occupancy.theoretical, 3) + " (theoretical occupancy)";
}

}  // namespace prof::analyzer
