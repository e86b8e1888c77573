// SPDX-License-Identifier: Apache-2.0
//
// Verdicts that name a unit: it is saturated, or busy with none other near it.
#include <algorithm>
#include <string>

#include "lib/analyzer/base/number_text.h"
#include "lib/analyzer/base/rule_text.h"
#include "lib/analyzer/rules/rule_evidence.h"
#include "lib/analyzer/rules/thresholds.h"
#include "lib/analyzer/rules/verdicts.h"

namespace prof::analyzer {

bool LeaderBound(const Facts& facts) {
  if (!facts.leader) return false;
  if (facts.leader->use >= kSaturated) return true;
  return facts.leader->use >= kBusy &&
         (facts.Margin() >= kMargin || !facts.rival || facts.rival->use < kBusy);
}

namespace {

void FillUnit(const Facts& facts, std::string_view action, Verdict* verdict) {
  const UnitUse& leader = *facts.leader;
  verdict->summary = std::string("Limited by ") + std::string(NameOf(leader.unit)) + " at " +
                     Percent(leader.use) + " of its peak.";
  SayUnit(facts, leader, verdict);
  verdict->action = action;
  verdict->gain_at_most = 1 - leader.use;
  verdict->gain_formula =
      "1 - " + FormatFixed(leader.use, 3) + " (the same work at 100 % of this unit's peak)";
  verdict->confidence = Judge(facts, leader.use, facts.Margin(), SamplesOf(facts, leader.metric));
}

}  // namespace

void FillDram(const Facts& facts, Verdict* verdict) {
  FillUnit(facts,
           "Move fewer bytes: fuse with the neighbouring kernels, use a smaller type, reuse data "
           "from cache or shared memory.",
           verdict);
  const double use = facts.leader->use;
  verdict->gain_at_most = 1 - use / kDramCeiling;
  verdict->gain_formula =
      "1 - " + FormatFixed(use, 3) + " / " + FormatFixed(kDramCeiling, 2) +
      " (more of the DRAM's peak than that is not expected); moving fewer bytes "
      "comes on top";
  if (verdict->gain_at_most <= 0) {
    verdict->summary = "DRAM is at " + Percent(use) +
                       " of its peak, already at its ceiling: only fewer bytes help.";
  } else if (verdict->gain_at_most < kWorthwhileGain) {
    verdict->summary =
        "DRAM is at " + Percent(use) + " of its peak, next to its ceiling: only fewer bytes help.";
  }
  SayTraffic(facts, verdict);
  const auto& achieved = facts.kernel->occupancy.achieved;
  if (achieved && *achieved < kLowAchievedWarps && use >= kSaturated) {
    verdict->evidence.push_back("warp slots in use " + Percent(*achieved) +
                                ": enough to reach this throughput, so more warps buy nothing");
  }
  if (!Median(*facts.kernel, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")) {
    verdict->missing = "sectors per request (tier T3): whether all moved bytes are used";
  }
}

void FillL2(const Facts& facts, Verdict* verdict) {
  FillUnit(facts,
           "Serve more from L1 and shared memory: tile, use wider loads, share data among the "
           "blocks of a cluster.",
           verdict);
  SayTraffic(facts, verdict);
}

void FillL1(const Facts& facts, Verdict* verdict) {
  FillUnit(facts,
           "Use fewer, wider and coalesced accesses (16 bytes per thread), and keep reused values "
           "in registers.",
           verdict);
  SayMemoryAccess(facts, verdict);
  if (!facts.shared_share || facts.shared_inferred) {
    verdict->confidence = std::min(verdict->confidence, Confidence::kMedium);
    verdict->missing =
        "l1tex__data_pipe_lsu_wavefronts_mem_shared (tier T3): how much of it is shared memory";
  }
}

bool SharedConflicts(const Facts& facts) {
  return Bound<Unit::kShared>(facts) && facts.conflicts.value_or(0) >= kConflictShare;
}

void FillShared(const Facts& facts, Verdict* verdict) {
  FillUnit(facts,
           "Use fewer, wider shared-memory accesses (ldmatrix, 16 bytes per thread), and keep "
           "reused values in registers.",
           verdict);
  if (facts.shared_inferred) {
    verdict->confidence = std::min(verdict->confidence, Confidence::kMedium);
    verdict->missing =
        "l1tex__data_pipe_lsu_wavefronts_mem_shared and the bank conflicts (tier T3): that it is "
        "shared memory was inferred from the stalls";
  } else {
    Say(facts, "shared memory's part of the L1 data path", "% of peak",
        "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed", verdict);
  }
}

void FillConflicts(const Facts& facts, Verdict* verdict) {
  FillShared(facts, verdict);
  const double share = *facts.conflicts;
  verdict->summary = "Limited by shared memory at " + Percent(facts.leader->use) + " of peak, " +
                     Percent(share) + " of it bank conflicts.";
  verdict->action =
      "Pad or swizzle the shared-memory layout so that the lanes of a warp hit "
      "different banks.";
  for (const char* op : {"ld", "st"}) {
    const std::string suffix = std::string("_pipe_lsu_mem_shared_op_") + op + ".sum";
    Say(facts, std::string("shared-memory conflicts, ") + op, "wavefronts",
        "l1tex__data_bank_conflicts" + suffix, verdict);
    Say(facts, std::string("shared-memory accesses, ") + op, "wavefronts",
        "l1tex__data_pipe_lsu_wavefronts" + suffix, verdict);
  }
  verdict->gain_at_most = share * facts.leader->use;
  verdict->gain_formula = FormatFixed(share, 3) + " (conflicts of all wavefronts) * " +
                          FormatFixed(facts.leader->use, 3) + " (use of the data path)";
}

void FillLsu(const Facts& facts, Verdict* verdict) {
  FillUnit(facts,
           "Issue fewer load and store instructions: 16 bytes per thread, values kept in "
           "registers.",
           verdict);
  verdict->limiter =
      facts.shared_share.value_or(0) >= kSharedIsMost ? Limiter::kShared : Limiter::kL1;
  SayMemoryAccess(facts, verdict);
}

void FillTensor(const Facts& facts, Verdict* verdict) {
  FillUnit(facts,
           "Little is left but less work: a smaller type (FP8), sparsity, or another algorithm.",
           verdict);
  if (facts.leader->use < kSaturated) {
    verdict->summary =
        "Near the limit of the tensor pipe, at " + Percent(facts.leader->use) + " of its peak.";
    verdict->action =
        "Keep the tensor pipe fed: tile sizes that divide the problem, more pipeline stages, a "
        "cheaper epilogue.";
  }
}

void FillFma(const Facts& facts, Verdict* verdict) {
  FillUnit(facts,
           "Execute fewer FP32 or integer multiply-add instructions: fuse, simplify, use packed "
           "half precision or the tensor pipe.",
           verdict);
}

void FillAlu(const Facts& facts, Verdict* verdict) {
  FillUnit(facts, "Execute fewer integer, logic and compare instructions; hoist index arithmetic.",
           verdict);
}

void FillFp64(const Facts& facts, Verdict* verdict) {
  FillUnit(facts, "Use FP32 where its precision is enough, or the FP64 tensor pipe.", verdict);
}

void FillSfu(const Facts& facts, Verdict* verdict) {
  FillUnit(facts,
           "Use fewer special functions and conversions: polynomials, tables, packed half "
           "precision.",
           verdict);
}

void FillIssue(const Facts& facts, Verdict* verdict) {
  FillUnit(facts, "Execute fewer instructions: wider accesses, unrolling, less index arithmetic.",
           verdict);
  SayWarps(facts, verdict);
}

bool Mixed(const Facts& facts) {
  return facts.leader && facts.rival && facts.rival->use >= kBusy &&
         facts.leader->use < kSaturated && facts.Margin() < kMargin;
}

void FillMixed(const Facts& facts, Verdict* verdict) {
  FillUnit(facts, "", verdict);
  SayUnit(facts, *facts.rival, verdict);
  const std::string both =
      std::string(NameOf(facts.leader->unit)) + " (" + Percent(facts.leader->use) + ") and " +
      std::string(NameOf(facts.rival->unit)) + " (" + Percent(facts.rival->use) + ")";
  verdict->summary = "Balanced between " + both + ".";
  verdict->action = "Relieve both units: less work on one alone moves the limit to the other.";
}

}  // namespace prof::analyzer
