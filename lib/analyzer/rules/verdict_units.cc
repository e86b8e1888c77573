// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/verdict_units.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "lib/analyzer/base/rule_text.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/rules/rule_evidence.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {

bool LeaderBound(const RuleInputs& inputs) {
  if (!inputs.leader) return false;
  const double least = inputs.leader->at_least();
  if (least >= kSaturated) return true;
  return least >= kBusy &&
         (inputs.Margin() >= kMargin || !inputs.rival || inputs.rival->at_most() < kBusy);
}

namespace {

// "0.852"; with an error bound its lower end, because a gain is an upper bound.
std::string LeastText(const UnitUse& use) {
  return text::Fixed(use.at_least(), 3) +
         (use.error > 0 ? ", the lower end of the error bound" : "");
}

void FillUnit(const RuleInputs& inputs, std::string_view action, Verdict* verdict) {
  const UnitUse& leader = *inputs.leader;
  verdict->summary = std::string("Limited by ") + NameOf(leader.unit) + " at " + PercentOf(leader) +
                     " of its peak.";
  AddUnit(inputs, leader, verdict);
  verdict->action = action;
  verdict->gain_at_most = 1 - leader.at_least();
  verdict->gain_formula =
      "1 - " + LeastText(leader) + " (the same work at 100 % of this unit's peak)";
  verdict->confidence =
      DecideConfidence(inputs, leader.at_least(), inputs.Margin(), inputs.SamplesOf(leader));
}

}  // namespace

void FillDram(const RuleInputs& inputs, Verdict* verdict) {
  FillUnit(inputs,
           "Move fewer bytes: fuse with the neighbouring kernels, use a smaller type, reuse data "
           "from cache or shared memory.",
           verdict);
  const double use = inputs.leader->at_least();
  verdict->gain_at_most = 1 - use / kDramCeiling;
  verdict->gain_formula =
      "1 - " + LeastText(*inputs.leader) + " / " + text::Fixed(kDramCeiling, 2) +
      " (more of the DRAM's peak than that is not expected); moving fewer bytes "
      "comes on top";
  if (verdict->gain_at_most <= 0) {
    verdict->summary = "DRAM is at " + PercentOf(*inputs.leader) +
                       " of its peak, already at its ceiling: only fewer bytes help.";
  } else if (verdict->gain_at_most < kWorthwhileGain) {
    verdict->summary = "DRAM is at " + PercentOf(*inputs.leader) +
                       " of its peak, next to its ceiling: only fewer bytes help.";
  }
  AddTraffic(inputs, verdict);
  const auto& achieved = inputs.achieved_occupancy;
  if (achieved && *achieved < kLowAchievedWarps && use >= kSaturated) {
    verdict->evidence.push_back("warp slots in use " + text::Percent(*achieved) +
                                ": enough to reach this throughput, so more warps buy nothing");
  }
  if (!inputs.Median("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")) {
    verdict->missing = "sectors per request (" + WayTo(inputs, format::kNeedsMemory) +
                       "): whether all moved bytes are used";
  }
}

void FillL2(const RuleInputs& inputs, Verdict* verdict) {
  FillUnit(inputs,
           "Serve more from L1 and shared memory: tile, use wider loads, share data among the "
           "blocks of a cluster.",
           verdict);
  AddTraffic(inputs, verdict);
}

void FillL1(const RuleInputs& inputs, Verdict* verdict) {
  FillUnit(inputs,
           "Use fewer, wider and coalesced accesses (16 bytes per thread), and keep reused values "
           "in registers.",
           verdict);
  AddMemoryAccess(inputs, verdict);
  if (!inputs.shared.share || inputs.shared.inferred) {
    verdict->confidence = std::min(verdict->confidence, Confidence::kMedium);
    verdict->missing = "l1tex__data_pipe_lsu_wavefronts_mem_shared (" +
                       WayTo(inputs, format::kNeedsShared) + "): how much of it is shared memory";
  }
}

bool SharedConflicts(const RuleInputs& inputs) {
  return Bound<Unit::kShared>(inputs) && inputs.conflicts.value_or(0) >= kConflictShare;
}

void FillShared(const RuleInputs& inputs, Verdict* verdict) {
  FillUnit(inputs,
           "Use fewer, wider shared-memory accesses (ldmatrix, 16 bytes per thread), and keep "
           "reused values in registers.",
           verdict);
  if (inputs.shared.inferred) {
    verdict->confidence = std::min(verdict->confidence, Confidence::kMedium);
    verdict->missing = "l1tex__data_pipe_lsu_wavefronts_mem_shared and the bank conflicts (" +
                       WayTo(inputs, format::kNeedsShared) +
                       "): that it is shared memory was inferred from the stalls";
  } else {
    AddMetric(inputs, "shared memory's part of the L1 data path", "% of peak",
              "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed",
              verdict);
  }
}

void FillConflicts(const RuleInputs& inputs, Verdict* verdict) {
  FillShared(inputs, verdict);
  const double share = *inputs.conflicts;
  verdict->summary = "Limited by shared memory at " + text::Percent(inputs.leader->of_peak) +
                     " of peak, " + text::Percent(share) + " of it bank conflicts.";
  verdict->action =
      "Pad or swizzle the shared-memory layout so that the lanes of a warp hit "
      "different banks.";
  for (const char* op : {"ld", "st"}) {
    const std::string suffix = std::string("_pipe_lsu_mem_shared_op_") + op + ".sum";
    AddMetric(inputs, std::string("shared-memory conflicts, ") + op, "wavefronts",
              "l1tex__data_bank_conflicts" + suffix, verdict);
    AddMetric(inputs, std::string("shared-memory accesses, ") + op, "wavefronts",
              "l1tex__data_pipe_lsu_wavefronts" + suffix, verdict);
  }
  verdict->gain_at_most = share * inputs.leader->of_peak;
  verdict->gain_formula = text::Fixed(share, 3) + " (conflicts of all wavefronts) * " +
                          text::Fixed(inputs.leader->of_peak, 3) + " (use of the data path)";
}

void FillLsu(const RuleInputs& inputs, Verdict* verdict) {
  FillUnit(inputs,
           "Issue fewer load and store instructions: 16 bytes per thread, values kept in "
           "registers.",
           verdict);
  verdict->limiter =
      inputs.shared.share.value_or(0) >= kSharedIsMost ? Limiter::kShared : Limiter::kL1;
  AddMemoryAccess(inputs, verdict);
}

void FillTensor(const RuleInputs& inputs, Verdict* verdict) {
  FillUnit(inputs,
           "Little is left but less work: a smaller type (FP8), sparsity, or another algorithm.",
           verdict);
  if (inputs.leader->at_least() < kSaturated) {
    verdict->summary =
        "Near the limit of the tensor pipe, at " + PercentOf(*inputs.leader) + " of its peak.";
    verdict->action =
        "Keep the tensor pipe fed: tile sizes that divide the problem, more pipeline stages, a "
        "cheaper epilogue.";
  }
}

void FillFma(const RuleInputs& inputs, Verdict* verdict) {
  FillUnit(inputs,
           "Execute fewer FP32 or integer multiply-add instructions: fuse, simplify, use packed "
           "half precision or the tensor pipe.",
           verdict);
}

void FillAlu(const RuleInputs& inputs, Verdict* verdict) {
  FillUnit(inputs, "Execute fewer integer, logic and compare instructions; hoist index arithmetic.",
           verdict);
}

void FillFp64(const RuleInputs& inputs, Verdict* verdict) {
  FillUnit(inputs, "Use FP32 where its precision is enough, or the FP64 tensor pipe.", verdict);
}

void FillSfu(const RuleInputs& inputs, Verdict* verdict) {
  FillUnit(inputs,
           "Use fewer special functions and conversions: polynomials, tables, packed half "
           "precision.",
           verdict);
}

void FillIssue(const RuleInputs& inputs, Verdict* verdict) {
  FillUnit(inputs, "Execute fewer instructions: wider accesses, unrolling, less index arithmetic.",
           verdict);
  AddWarps(inputs, verdict);
}

bool Mixed(const RuleInputs& inputs) {
  return inputs.leader && inputs.rival && inputs.rival->at_most() >= kBusy &&
         inputs.leader->at_least() >= kBusy && inputs.leader->at_least() < kSaturated &&
         inputs.Margin() < kMargin;
}

void FillMixed(const RuleInputs& inputs, Verdict* verdict) {
  FillUnit(inputs, "", verdict);
  AddUnit(inputs, *inputs.rival, verdict);
  const std::string both = NameOf(inputs.leader->unit) + " (" + PercentOf(*inputs.leader) +
                           ") and " + NameOf(inputs.rival->unit) + " (" + PercentOf(*inputs.rival) +
                           ")";
  verdict->summary = "Balanced between " + both + ".";
  verdict->action = "Relieve both units: less work on one alone moves the limit to the other.";
}

}  // namespace prof::analyzer
