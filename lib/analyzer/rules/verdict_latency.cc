// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/verdict_latency.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "lib/analyzer/base/rule_text.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/continuous/pm_units.h"
#include "lib/analyzer/kernels/unit_metrics.h"
#include "lib/analyzer/rules/rule_access.h"
#include "lib/analyzer/rules/rule_bounds.h"
#include "lib/analyzer/rules/rule_confidence.h"
#include "lib/analyzer/rules/rule_evidence.h"
#include "lib/analyzer/rules/rule_stalls.h"
#include "lib/analyzer/rules/rule_suspicions.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::analyzer {

// Less than a wave, whether it covers all SMs or not.
bool PartialWavePrimary(const RuleInputs& inputs) {
  const Occupancy& occupancy = inputs.kernel->occupancy;
  return occupancy.known && occupancy.waves > 0 && occupancy.waves < 1 && inputs.busiest < kBusy &&
         inputs.unknown.empty();
}

namespace {

// Not busy, and perhaps what most of the time goes to: warps that do one thing after the other use
// each unit for a part of it.
void AddDoubtOfHalfUse(const RuleInputs& inputs, Verdict* verdict) {
  const UnitUse* highest = nullptr;
  double most = 0;
  for (const UnitUse& use : inputs.units()) {
    if (inputs.half_on_fma && use.unit == Unit::kTensor) continue;
    const double while_active = inputs.WhileActive(use.unit, use.of_peak);
    if (while_active <= most) continue;
    most = while_active;
    highest = &use;
  }
  if (highest == nullptr || most < kHalfUsed) return;
  AddDoubt("half-used",
           std::string(NameOf(highest->unit)) + " is at " + text::Percent(most) +
               (IsShared(highest->unit) ? "" : " while the SMs are active") +
               ": its work may be most of the time",
           verdict);
}

// There are few warps, and nothing looks as if more of them would wait for the same. Where nobody
// counted them the launch record has the most that there can be.
bool FewWarpsExplain(const RuleInputs& inputs) {
  const Occupancy& occupancy = inputs.kernel->occupancy;
  return occupancy.known && occupancy.waves > 0 && occupancy.waves < kHalfWave &&
         inputs.warps_used.value_or(0) < kHalfWave && !LooksBehindLink(inputs);
}

}  // namespace

void FillPartialWave(const RuleInputs& inputs, Verdict* verdict) {
  const double waves = inputs.kernel->occupancy.waves;
  verdict->summary =
      "The grid fills " + text::Percent(waves) + " of one wave, and no unit is busy.";
  AddGrid(inputs, verdict);
  AddActivity(inputs, verdict);
  if (inputs.leader) AddUnit(inputs, *inputs.leader, verdict);
  AddWarps(inputs, verdict);
  AddDoubt("few-warps", "more blocks may help, or what the warps wait for", verdict);
  AddDoubtOfHalfUse(inputs, verdict);
  AddDoubtsOfData(inputs, inputs.leader ? inputs.SamplesOf(*inputs.leader) : 0, verdict);
  if (!inputs.stalls.empty() || FewWarpsExplain(inputs)) {
    verdict->actions.push_back(MakeAction("more-blocks", BoundOfMoreWarps(inputs)));
  }
  if (inputs.stalls.empty()) SuspectWaits(inputs, verdict);
}

bool Waiting(const RuleInputs& inputs) {
  return inputs.unknown.empty() && inputs.busiest < kBusy && inputs.issue &&
         *inputs.issue < kIssueHealthy && !inputs.stalls.empty() &&
         inputs.stalls.front().share >= kStallShare;
}

namespace {

// Bytes that it read from DRAM, wrote there, and wrote into L2 only, in a second, of DRAM's peak.
double RateOfAllBytes(const RuleInputs& inputs) {
  const auto read = inputs.Median("dram__bytes_read.sum");
  const auto written = inputs.Median("dram__bytes_write.sum");
  const auto stored = inputs.Median("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum");
  const auto peak = inputs.kernel->roofline.dram_peak_bytes_per_s;
  if (!read || !written || !stored || !peak || !(inputs.duration_ns > 0)) return 0;
  if (inputs.device == nullptr || !(*peak > 0)) return 0;
  // L2 holds no more than its size.
  const double later = std::min(std::max(0.0, *stored * kSectorBytes - *written),
                                static_cast<double>(inputs.device->l2_bytes));
  return (*read + *written + later) / (inputs.duration_ns * 1e-9) / *peak;
}

}  // namespace

bool WritesLater(const RuleInputs& inputs) { return RateOfAllBytes(inputs) >= kSaturated; }

void FillWritesLater(const RuleInputs& inputs, Verdict* verdict) {
  const double rate = RateOfAllBytes(inputs);
  verdict->summary = "It moves bytes at " + text::Percent(rate) +
                     " of DRAM's peak. A part of its writes stays in L2, and the next kernel waits "
                     "while it is written to DRAM.";
  AddUnit(inputs, *inputs.leader, verdict);
  AddTraffic(inputs, verdict);
  AddMetric(inputs, "stored", "sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", verdict);
  verdict->actions.push_back(
      MakeAction("fewer-bytes", {std::nullopt,
                                 "nothing that was measured bounds it: the time "
                                 "falls with the bytes"}));
  AddDoubt("later", "the next kernel pays for a part of its writes", verdict);
  AddDoubtsOfData(inputs, inputs.SamplesOf("dram__bytes_read.sum"), verdict);
}

bool NoUnitBusy(const RuleInputs& inputs) {
  return inputs.unknown.empty() && inputs.busiest < kBusy && inputs.stalls.empty();
}

void FillNoUnitBusy(const RuleInputs& inputs, Verdict* verdict) {
  verdict->summary = "No unit is busy";
  if (!inputs.units().empty()) {
    verdict->summary += " (highest: " + DescribeUse(inputs.units().front()) + ")";
  }
  verdict->summary += ": its warps wait, but for what was not measured.";
  AddBusiestUnits(inputs, verdict);
  AddActivity(inputs, verdict);
  AddWarps(inputs, verdict);
  AddDoubt("waits-unknown", "what its warps wait for was not read", verdict);
  AddDoubtOfHalfUse(inputs, verdict);
  AddDoubtsOfData(inputs, inputs.leader ? inputs.SamplesOf(*inputs.leader) : 0, verdict);
  SuspectWaits(inputs, verdict);
}

bool WaitsForSeveral(const RuleInputs& inputs) {
  double stalled = 0;
  for (const Stall& stall : inputs.stalls) stalled += stall.share;
  return inputs.unknown.empty() && inputs.busiest < kBusy && stalled >= kMostlyStalled &&
         inputs.stalls.front().share < kStallShare;
}

namespace {

// And too few are ready as it is.
bool HasRoomForWarps(const RuleInputs& inputs) {
  return HasBlocksForWarps(inputs) && inputs.eligible && *inputs.eligible < kEligibleEnough &&
         inputs.UseOf(Unit::kTensor) < kTensorKernel;
}

}  // namespace

bool HasBlocksForWarps(const RuleInputs& inputs) {
  const Occupancy& occupancy = inputs.kernel->occupancy;
  return occupancy.known && occupancy.waves > 1 && occupancy.theoretical < kLowTheoretical &&
         !occupancy.limited_by.empty();
}

Action RaiseOccupancy(const RuleInputs& inputs) {
  Action action = MakeAction("raise-occupancy", BoundOfMoreWarps(inputs));
  action.what = "Raise occupancy, which " + text::Enumerate(inputs.kernel->occupancy.limited_by) +
                " limit: smaller tiles, __launch_bounds__, another block size.";
  return action;
}

bool OccupancyLimited(const RuleInputs& inputs) {
  return Waiting(inputs) && HasRoomForWarps(inputs) &&
         AdviceOn(inputs.stalls.front().reason).hidden_by_warps;
}

void FillSeveralStalls(const RuleInputs& inputs, Verdict* verdict) {
  std::vector<std::string> reasons;
  for (const Stall& stall : inputs.stalls) {
    if (reasons.size() == 3) break;
    reasons.push_back(text::Percent(stall.share) + " of their time for " +
                      std::string(AdviceOn(stall.reason).waits_for));
  }
  verdict->summary = "Warps wait for several things: " + text::Enumerate(reasons) + ".";
  AddBusiestUnits(inputs, verdict);
  AddStalls(inputs, verdict);
  AddWarps(inputs, verdict);
  AddDoubtsOfWaiting(inputs, verdict);
  AddDoubtOfHalfUse(inputs, verdict);
  if (HasRoomForWarps(inputs)) verdict->actions.push_back(RaiseOccupancy(inputs));
  verdict->missing = "PC samples: which instructions the warps wait at";
}

namespace {

// The level that has the data decides what helps against waiting for it.
std::string_view MemoryAction(const RuleInputs& inputs, std::string_view otherwise) {
  if (inputs.Median("l1tex__t_sector_hit_rate.pct").value_or(0) >= 100 * kHits) {
    return "independent-loads";
  }
  return inputs.l2_hits.value_or(0) >= kHits ? "keep-data-closer" : otherwise;
}

std::string ServingLevel(const RuleInputs& inputs) {
  if (inputs.Median("l1tex__t_sector_hit_rate.pct").value_or(0) >= 100 * kHits) return "L1";
  if (!inputs.l2_hits) return "";
  return *inputs.l2_hits >= kHits ? "L2" : *inputs.l2_hits <= 1 - kHits ? "DRAM" : "L2 and DRAM";
}

// No load takes that long: atomics on one address, or memory behind a link, do.
bool WaitsBeyondLoads(const RuleInputs& inputs) {
  const Stall& top = inputs.stalls.front();
  return top.reason == "long_scoreboard" && !inputs.l2_hits && top.cycles > kLongestLoad;
}

// The queue to shared memory and special functions is full, and nothing comes out of it but
// constants that the lanes of a warp index by different values.
bool WaitsForConstants(const RuleInputs& inputs, std::string_view reason) {
  if (reason != "mio_throttle" && reason != "short_scoreboard") return false;
  const bool is_full =
      std::any_of(inputs.stalls.begin(), inputs.stalls.end(), [](const Stall& stall) {
        return stall.reason == "mio_throttle" && stall.share >= kStallShare;
      });
  const auto rests = [&](Unit unit, bool if_unknown) {
    const UnitUse* const use = inputs.counters->Find(unit);
    return use == nullptr ? if_unknown
                          : inputs.WhileActive(unit, use->of_peak + use->error) < kNoWork;
  };
  // One of the first two is L1's unit, named by what it does most.
  const bool has_l1 = inputs.counters->Find(Unit::kShared) != nullptr ||
                      inputs.counters->Find(Unit::kL1) != nullptr;
  return is_full && has_l1 && rests(Unit::kShared, true) && rests(Unit::kL1, true) &&
         rests(Unit::kTexture, true) && rests(Unit::kLsu, false) && rests(Unit::kSfu, false);
}

// The others wait at a barrier for a warp that sleeps.
bool WaitsForSleeper(const RuleInputs& inputs, std::string_view reason) {
  return reason == "barrier" &&
         std::any_of(inputs.stalls.begin(), inputs.stalls.end(), [](const Stall& stall) {
           return stall.reason == "sleeping" && stall.share >= kSleeps;
         });
}

void AddStallAction(const RuleInputs& inputs, const StallAdvice& advice, Verdict* verdict) {
  if (WaitsBeyondLoads(inputs)) {
    verdict->actions.push_back(MakeAction("read-sectors",
                                          {std::nullopt, "what the sectors show decides"},
                                          WayTo(inputs, format::kNeedsMemory)));
    return;
  }
  if (WaitsForConstants(inputs, advice.reason)) {
    Relief relief;
    relief.Take(AdviceOn("imc_miss").relieves, 1);
    verdict->actions.push_back(MakeAction("uniform-constants", BoundBy(inputs, relief)));
    return;
  }
  if (WaitsForSleeper(inputs, advice.reason)) {
    const StallAdvice& sleep = AdviceOn("sleeping");
    Relief relief;
    relief.Take(sleep.relieves, 1);
    verdict->actions.push_back(MakeAction(sleep.action_id, BoundBy(inputs, relief)));
  }
  std::string_view id = advice.action_id;
  if (advice.reason == "long_scoreboard") {
    id = LoadsNothing(inputs) ? "read-pc-samples" : MemoryAction(inputs, id);
  }
  Relief relief;
  if (id == advice.action_id) relief.Take(advice.relieves, 1);
  if (id == "keep-data-closer") relief.Take({Unit::kDram, Unit::kL2}, 1);
  const bool is_measurement = id == "read-pc-samples";
  verdict->actions.push_back(
      MakeAction(id, is_measurement ? Bound{std::nullopt, "what the samples show decides"}
                                    : BoundBy(inputs, relief)));
}

// The units that the queue to shared memory and special functions serves, and that were not read.
std::string UnknownBehindQueue(const RuleInputs& inputs, std::string_view reason) {
  if (reason != "mio_throttle" && reason != "short_scoreboard") return "";
  const bool knows_l1 =
      inputs.Median(kL1Wavefronts) || FindPmUse(inputs.kernel->continuous, format::TriageUnit::kL1);
  std::vector<std::string_view> unknown;
  if (!knows_l1) unknown.emplace_back("L1 and shared memory");
  if (inputs.counters->Find(Unit::kSfu) == nullptr) unknown.emplace_back("special functions");
  if (unknown.empty()) return "";
  return "the use of " + text::Enumerate(unknown) + " (" + WayTo(inputs, format::kNeedsUse) +
         "): the queue in front of it is full";
}

}  // namespace

void FillLatency(const RuleInputs& inputs, Verdict* verdict) {
  const Stall& top = inputs.stalls.front();
  const StallAdvice& advice = AdviceOn(top.reason);
  verdict->stall = top.reason;
  verdict->summary = "Warps wait: " + text::Percent(top.share) + " of their time for " +
                     std::string(advice.waits_for) + " (" + std::string(top.reason) + ").";
  AddStallAction(inputs, advice, verdict);
  // A full SM hides what few warps wait for. (At a barrier smaller blocks do: its action names
  // them.)
  const bool hidden_by_blocks = advice.reason == "long_scoreboard" ||
                                advice.reason == "short_scoreboard" || advice.reason == "wait";
  if (FewWarpsExplain(inputs) && hidden_by_blocks) {
    verdict->actions.push_back(MakeAction("more-blocks", BoundOfMoreWarps(inputs)));
  }
  AddStalls(inputs, verdict);
  AddWarps(inputs, verdict);
  if (inputs.leader) AddUnit(inputs, *inputs.leader, verdict);
  AddDoubtsOfWaiting(inputs, verdict);
  // What the memory system does is not known: loads, atomics, or the link to the host.
  const bool of_memory = top.reason == "long_scoreboard" || top.reason == "lg_throttle";
  if (const std::string unknown = UnknownBehindQueue(inputs, top.reason); !unknown.empty()) {
    AddDoubt("queue-unknown", "units behind a full queue were not measured", verdict);
    verdict->missing = unknown;
  }
  if (of_memory && !inputs.l2_hits) {
    AddDoubt("level-unknown", "which level serves its loads was not measured", verdict);
  }
  if (top.reason == "long_scoreboard") {
    AddMemoryAccess(inputs, verdict);
    if (LoadsNothing(inputs)) {
      verdict->summary += " It requests no loads: stores, atomics or asynchronous copies wait.";
    } else if (const std::string level = ServingLevel(inputs); !level.empty()) {
      verdict->summary +=
          " " + level + (level.find(' ') == level.npos ? " has" : " have") + " the data.";
    }
  }
  if (of_memory && !KnowsSectors(inputs)) {
    verdict->missing =
        "sectors by operation and hit rates (--counters all): which level is late, and whether "
        "atomics are";
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
  verdict->actions = {RaiseOccupancy(inputs)};
}

}  // namespace prof::analyzer
