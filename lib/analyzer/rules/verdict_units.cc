// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/verdict_units.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lib/analyzer/base/rule_text.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/rules/rule_access.h"
#include "lib/analyzer/rules/rule_bounds.h"
#include "lib/analyzer/rules/rule_confidence.h"
#include "lib/analyzer/rules/rule_evidence.h"
#include "lib/analyzer/rules/rule_matrix.h"
#include "lib/analyzer/rules/rule_suspicions.h"
#include "lib/analyzer/rules/verdict_latency.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {

namespace {

bool RivalIsBusy(const RuleInputs& inputs) {
  if (!inputs.rival) return false;
  const Unit unit = inputs.rival->unit;
  return inputs.Deciding(unit, inputs.rival->of_peak) >= BusyFrom(unit);
}

}  // namespace

bool LeaderBound(const RuleInputs& inputs) {
  if (!inputs.leader) return false;
  const UnitUse& leader = *inputs.leader;
  const double use = inputs.Deciding(leader.unit, leader.of_peak);
  if (use >= kSaturated) return true;
  return use >= BusyFrom(leader.unit) && (inputs.Margin() >= kMargin || !RivalIsBusy(inputs));
}

std::optional<double> WarpsAtMost(const RuleInputs& inputs) {
  if (inputs.warps_at_most || inputs.kernel == nullptr) return inputs.warps_at_most;
  const Occupancy& occupancy = inputs.kernel->occupancy;
  if (!occupancy.known || occupancy.waves <= 0) return std::nullopt;
  return occupancy.theoretical * std::min(1.0, occupancy.waves);
}

namespace {

// What DRAM has left to the ceiling that is expected of it. Not above 0: nothing.
double LeftOfDram(const RuleInputs& inputs) {
  return 1 - inputs.leader->at_least() / ExpectedOfDram(inputs).of_peak;
}

}  // namespace

bool FewWarpsAsk(const RuleInputs& inputs) {
  if (!inputs.leader || inputs.leader->unit != Unit::kDram) return false;
  return inputs.Deciding(Unit::kDram, inputs.leader->of_peak) < kSaturated &&
         LeftOfDram(inputs) >= kWorthwhileGain &&
         WarpsAtMost(inputs).value_or(1) < kLowAchievedWarps;
}

namespace {

// `same_work`: the id of the action that brings the unit to its ceiling, where that is worth it.
void AddSameWork(const RuleInputs& inputs, std::string_view same_work, Verdict* verdict) {
  if (inputs.leader->unit == Unit::kDram && LeftOfDram(inputs) < kWorthwhileGain) return;
  // Another unit may be busier: the named one explains its use.
  const Bound bound = LeastOf({BoundOfSameWork(inputs, *inputs.leader), BoundBy(inputs, {})});
  if (bound.gain.value_or(0) < kWorthwhileGain) return;
  verdict->actions.push_back(MakeAction(same_work, bound));
}

void FillUnit(const RuleInputs& inputs, std::string_view same_work, Verdict* verdict) {
  const UnitUse& leader = *inputs.leader;
  const double named = inputs.Deciding(leader.unit, leader.at_least());
  verdict->summary = std::string("Limited by ") + NameOf(leader.unit) + " at " + PercentOf(leader) +
                     " of its peak";
  if (leader.of_peak < kBusy) {
    verdict->summary += ", " + text::Percent(inputs.WhileActive(leader.unit, leader.of_peak)) +
                        " while the SMs were active";
  }
  verdict->summary += ".";
  AddUnit(inputs, leader, verdict);
  AddSameWork(inputs, same_work, verdict);
  AddDoubtsOfWinner(inputs, named, inputs.LeastMargin(), verdict);
  AddDoubtsOfData(inputs, inputs.SamplesOf(leader), verdict);
}

// More warps at a time: by more blocks where the grid leaves room for them, or else by blocks that
// leave room for more. Not for a kernel of the tensor pipe, whose few warps are enough.
void AddMoreWarps(const RuleInputs& inputs, Verdict* verdict) {
  if (inputs.kernel == nullptr || !FewWarpsAsk(inputs)) return;
  const Occupancy& occupancy = inputs.kernel->occupancy;
  if (!occupancy.known || inputs.UseOf(Unit::kTensor) >= kTensorKernel) return;
  if (occupancy.waves > 0 && occupancy.waves < 1) {
    verdict->actions.push_back(MakeAction("more-blocks", BoundOfMoreWarps(inputs)));
  } else if (HasBlocksForWarps(inputs)) {
    verdict->actions.push_back(RaiseOccupancy(inputs));
  } else {
    return;
  }
  AddGrid(inputs, verdict);
  AddWarps(inputs, verdict);
}

// Less work on `units` by a smaller type, which makes all bytes half, and with them the
// instructions that move and use them.
Relief OfSmallerType(std::initializer_list<Unit> units) {
  Relief relief;
  relief.share.fill(0.5);
  return relief.Take(units, 1).Take({Unit::kIssue, Unit::kLsu}, 1);
}

void AddLessWork(const RuleInputs& inputs, std::string_view id, const Relief& relief,
                 Verdict* verdict, std::string check = "") {
  verdict->actions.push_back(MakeAction(id, BoundOfLessWork(inputs, relief), std::move(check)));
}

}  // namespace

void FillDram(const RuleInputs& inputs, Verdict* verdict) {
  FillUnit(inputs, "dram-rate", verdict);
  AddMoreWarps(inputs, verdict);
  verdict->actions.push_back(
      MakeAction("fewer-bytes", {std::nullopt,
                                 "nothing that was measured bounds it: the time falls with the "
                                 "bytes, and a smaller type takes work from the pipes, too"}));
  SuspectSectors(inputs, verdict);
  const double use = inputs.leader->at_least();
  const double left = LeftOfDram(inputs);
  if (left < kWorthwhileGain) {
    verdict->summary = "DRAM is at " + PercentOf(*inputs.leader) + " of its peak, " +
                       (left <= 0 ? "already at" : "next to") +
                       " its ceiling: only fewer bytes help.";
  }
  const ExpectedCeiling ceiling = ExpectedOfDram(inputs);
  verdict->evidence.push_back("DRAM ceiling " + text::Percent(ceiling.of_peak) +
                              " of peak: " + ceiling.from);
  AddTraffic(inputs, verdict);
  const auto& achieved = inputs.achieved_occupancy;
  if (achieved && *achieved < kLowAchievedWarps && use >= kSaturated) {
    verdict->evidence.push_back("warp slots in use " + text::Percent(*achieved) +
                                ": enough to reach this throughput, so more warps buy nothing");
  }
  if (!KnowsSectors(inputs) && !SampledAsCoalesced(inputs)) {
    verdict->missing = "sectors per request (" + WayTo(inputs, format::kNeedsMemory) +
                       "): whether all moved bytes are used";
  }
}

void FillL2(const RuleInputs& inputs, Verdict* verdict) {
  FillUnit(inputs, "feed-unit", verdict);
  AddLessWork(inputs, "serve-from-l1", AllBut({Unit::kTensor, Unit::kFp64, Unit::kSfu}), verdict);
  SuspectSectors(inputs, verdict);
  AddTraffic(inputs, verdict);
}

void FillL1(const RuleInputs& inputs, Verdict* verdict) {
  FillUnit(inputs, "feed-unit", verdict);
  AddLessWork(inputs, "fewer-l1-accesses", AllBut({Unit::kTensor, Unit::kFp64, Unit::kSfu}),
              verdict);
  SuspectSectors(inputs, verdict);
  AddMemoryAccess(inputs, verdict);
  if (!inputs.shared.share || inputs.shared.inferred) {
    AddDoubt("inferred", "how much of it is shared memory was not counted", verdict);
    verdict->missing = "l1tex__data_pipe_lsu_wavefronts_mem_shared (" +
                       WayTo(inputs, format::kNeedsShared) + "): how much of it is shared memory";
  }
}

Action FewerSharedAccesses(const RuleInputs& inputs) {
  const Relief relief = AllBut({Unit::kTensor, Unit::kFp64, Unit::kSfu, Unit::kDram});
  return MakeAction("fewer-shared-accesses", BoundOfLessWork(inputs, relief));
}

void FillShared(const RuleInputs& inputs, Verdict* verdict) {
  FillUnit(inputs, "feed-unit", verdict);
  verdict->actions.push_back(FewerSharedAccesses(inputs));
  SuspectConflicts(inputs, verdict);
  if (inputs.shared.inferred) {
    AddDoubt("inferred", "that it is shared memory was inferred from the stalls", verdict);
    verdict->missing = "l1tex__data_pipe_lsu_wavefronts_mem_shared and the bank conflicts (" +
                       WayTo(inputs, format::kNeedsShared) +
                       "): that it is shared memory was inferred from the stalls";
  } else {
    AddMetric(inputs, "shared memory's part of the L1 data path", "% of peak",
              "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed",
              verdict);
  }
}

void FillLsu(const RuleInputs& inputs, Verdict* verdict) {
  FillUnit(inputs, "feed-unit", verdict);
  AddLessWork(inputs, "fewer-load-instructions", AllBut({Unit::kTensor, Unit::kFp64, Unit::kSfu}),
              verdict);
  verdict->limiter =
      inputs.shared.share.value_or(0) >= kSharedIsMost ? Limiter::kShared : Limiter::kL1;
  AddMemoryAccess(inputs, verdict);
}

void FillTexture(const RuleInputs& inputs, Verdict* verdict) {
  FillUnit(inputs, "feed-unit", verdict);
  AddLessWork(inputs, "fewer-texture-fetches", AllBut({Unit::kTensor, Unit::kFp64, Unit::kSfu}),
              verdict);
}

void FillTensor(const RuleInputs& inputs, Verdict* verdict) {
  FillUnit(inputs, "feed-tensor", verdict);
  AddMatrixActions(inputs, verdict);
  if (inputs.leader->of_peak < kSaturated) {
    verdict->summary =
        "Near the limit of the tensor pipe, at " + PercentOf(*inputs.leader) + " of its peak" +
        (inputs.tensor_ceiling < 1
             ? "; a kernel of mma.sync alone reached " + text::Percent(inputs.tensor_ceiling) + "."
             : ".");
  }
}

void FillFma(const RuleInputs& inputs, Verdict* verdict) {
  FillUnit(inputs, "feed-unit", verdict);
  if (inputs.half_on_fma) {
    verdict->summary +=
        " Half of its packed half precision instructions run on the tensor pipe: it has no matrix "
        "instructions.";
  }
  if (inputs.half_on_fma) {
    AddLessWork(inputs, "fewer-half-fma", AllBut({Unit::kDram, Unit::kFp64, Unit::kSfu}), verdict);
  } else {
    AddLessWork(inputs, "fewer-fma", OfSmallerType({Unit::kFma}), verdict);
  }
}

void FillAlu(const RuleInputs& inputs, Verdict* verdict) {
  FillUnit(inputs, "feed-unit", verdict);
  AddLessWork(inputs, "fewer-integer",
              AllBut({Unit::kDram, Unit::kL2, Unit::kL1, Unit::kShared, Unit::kTensor, Unit::kFp64,
                      Unit::kSfu}),
              verdict);
}

void FillFp64(const RuleInputs& inputs, Verdict* verdict) {
  FillUnit(inputs, "feed-unit", verdict);
  // Functions of FP64 run on all pipes but the tensor pipe, and the bytes become half.
  AddLessWork(inputs, "fp32-for-fp64",
              OfSmallerType({Unit::kFp64, Unit::kFma, Unit::kAlu, Unit::kSfu}), verdict);
}

void FillSfu(const RuleInputs& inputs, Verdict* verdict) {
  FillUnit(inputs, "feed-unit", verdict);
  AddLessWork(inputs, "fewer-special-functions",
              OfSmallerType({Unit::kSfu, Unit::kFma, Unit::kAlu}), verdict);
}

void FillIssue(const RuleInputs& inputs, Verdict* verdict) {
  FillUnit(inputs, "feed-unit", verdict);
  AddLessWork(inputs, "fewer-instructions", AllBut({Unit::kDram, Unit::kL2, Unit::kTensor}),
              verdict);
  AddWarps(inputs, verdict);
}

// Nothing else explains it: no unit is busy, and no stall stands out.
bool MostlyIssues(const RuleInputs& inputs) {
  return inputs.unknown.empty() && inputs.UseOf(Unit::kIssue) >= kBusy;
}

void FillMostlyIssues(const RuleInputs& inputs, Verdict* verdict) {
  RuleInputs of_issue = inputs;
  of_issue.leader = *inputs.counters->Find(Unit::kIssue);
  of_issue.rival = inputs.leader;  // the busiest of the other units
  FillIssue(of_issue, verdict);
  AddDoubt("pipe-below-80", "other kernels with such a use of the issue slots wait", verdict);
}

bool Mixed(const RuleInputs& inputs) {
  if (!inputs.leader || !inputs.rival) return false;
  const UnitUse& leader = *inputs.leader;
  const double use = inputs.Deciding(leader.unit, leader.of_peak);
  return RivalIsBusy(inputs) && use >= BusyFrom(leader.unit) && use < kSaturated &&
         inputs.Margin() < kMargin;
}

void FillMixed(const RuleInputs& inputs, Verdict* verdict) {
  FillUnit(inputs, "feed-unit", verdict);
  AddUnit(inputs, *inputs.rival, verdict);
  Relief relief = AllBut({Unit::kTensor, Unit::kFp64});
  relief.Take({inputs.leader->unit, inputs.rival->unit}, 1);
  AddLessWork(inputs, "relieve-both", relief, verdict);
  const bool of_memory = IsShared(inputs.leader->unit) || IsShared(inputs.rival->unit) ||
                         Follows(inputs.leader->unit, Unit::kL1);
  if (of_memory && !KnowsSectors(inputs)) {
    SuspectSectors(inputs, verdict);
    verdict->missing = "sectors by space and operation (" + WayTo(inputs, format::kNeedsMemory) +
                       "): whether one cause keeps both busy";
  }
  const std::string both = NameOf(inputs.leader->unit) + " (" + PercentOf(*inputs.leader) +
                           ") and " + NameOf(inputs.rival->unit) + " (" + PercentOf(*inputs.rival) +
                           ")";
  verdict->summary = "Balanced between " + both + ".";
}

}  // namespace prof::analyzer
