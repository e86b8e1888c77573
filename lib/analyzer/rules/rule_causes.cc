// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/rule_causes.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/analyzer/base/rule_table.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/rules/cause_shape.h"
#include "lib/analyzer/rules/cause_waste.h"
#include "lib/analyzer/rules/rule_access.h"
#include "lib/analyzer/rules/rule_confidence.h"
#include "lib/analyzer/rules/rule_evidence.h"
#include "lib/analyzer/rules/verdict_units.h"

namespace prof::analyzer {
namespace {

struct Row {
  CauseRow text;
  std::optional<Cause> (*find)(const RuleInputs&);
  bool of_region = false;  // holds for a counted region, too; its inputs have no kernel
};

constexpr Row kCauseRows[] = {
    {{"small-grid", "small-grid",
      "waves < 1 (ncu), 10 % or more of the SMs without a block (own), all units known. It decides "
      "at any use where it explains half or more of what the busiest unit leaves unused (own); and "
      "where no unit limits and 20 % of the SMs have no block (own), or no stall explains the "
      "kernel. Where DRAM or L2 limits it is an action beside that verdict, below 80 %",
      "more-blocks",
      "\"memory latency\" because long_scoreboard is the top stall; a persistent kernel of one "
      "block per SM"},
     SmallGridCause},
    {{"tail", "tail",
      "w >= 1 waves, (ceil(w) - w) / ceil(w) >= 10 % (own; ncu: 1 / (1 + full waves) >= 20 %, "
      "which ignores how full the last wave is) and SM activity average 5 % below maximum (ncu), "
      "less 3 us to fill and drain the GPU (own). It decides where it explains half of what the "
      "busiest unit leaves unused, or where no unit limits and no stall explains the kernel",
      "whole-waves", "a tail at 30.1 waves; none at 1.01"},
     TailCause},
    {{"imbalance", "tail",
      "SM activity as for `tail`, achieved occupancy 10 points below theoretical (ncu), w >= 1, no "
      "tail; where no warps were counted: SM activity 20 % below; with w < 1 and a block for each "
      "SM at least: 30 % below (own). Where PM samples "
      "show the course of a launch, it needs 10 % of its time idle at its end, and `tail` 5 %, "
      "half or "
      "more of all idle time (own). Otherwise as `tail`",
      "even-out-blocks", "\"occupancy\"; a work queue for atomics"},
     ImbalanceCause},
    {{"phases", "mixed",
      "two phases as in the note `phases`; no unit is busy on average. Beside a busy unit it is an "
      "action",
      "overlap-phases", "\"warps wait\" for a kernel that copies first and computes then"},
     PhasesCause},
    {{"spills", "the memory unit that leads, or latency",
      "local sectors > 5 % of local and global ones (own); a memory unit is busy, or they are 30 % "
      "or more and warps wait for long_scoreboard or lg_throttle (ncu). Not counted: more than "
      "half "
      "of the accesses in the code, and L1 at 5 % or more while no unit is busy; or, "
      "beside a busy memory unit, no loop of the code accesses global memory, and what stands "
      "outside of loops makes less than half of L1's wavefronts (own)",
      "remove-spills", "\"relieve both units\"; a smaller type"},
     SpillsCause},
    {{"atomics", "l2 or latency",
      "atomic and reduction sectors > 20 % of L2's (own), DRAM < 60 %; where they were not "
      "counted: "
      "L2's atomic unit is at half or more of L2's use (own); without both: all accesses in the "
      "code, and PM samples of requests to L2, or more than half of the accesses in the code's "
      "loops, none on shared memory, and PM samples of requests with few sectors, or of an idle L2 "
      "(own). L2 or L1 is busy, or warps wait for memory",
      "aggregate-atomics", "\"more loads in flight\" for additions to one address"},
     AtomicsCause},
    {{"uncoalesced", "dram, l2 or l1",
      "less than 26 of 32 bytes of a sector are used (own; ncu: < 32), or more than 16 sectors per "
      "request (hw), in loads or stores that are 5 % or more of the sectors (own). Below L1 a "
      "sector's uses add up over its hits. By PM samples alone: L1 gets 5 or more sectors for 128 "
      "bytes that it returns, where no copy to shared memory can be the reason; or fewer than 2 "
      "sectors in a request to L2; or, for stores, DRAM reads 5 % of its peak or more that no SM "
      "asked for (own). DRAM, L2 or L1 is busy, or lg_throttle is the top stall, or "
      "long_scoreboard or an unknown one with one of the units at 50 % or more",
      "coalesce", "\"DRAM is at its ceiling\" with 4 of 32 bytes used; a chain of pointers"},
     UncoalescedCause},
    {{"shared-bank-conflicts", "shared",
      "bank conflicts >= 10 % of shared memory's wavefronts (ncu), those of wgmma included, by "
      "counters or PM samples; without both: more than 4 wavefronts per request (hw). Shared "
      "memory "
      "is busy, or "
      "they are 30 % or more and warps wait for mio_throttle or short_scoreboard. "
      "`fewer-shared-accesses` as well where shared memory stays at 60 % or more without them",
      "remove-bank-conflicts", "conflicts blamed at 5 %; those of a GEMM's epilogue"},
     BankConflictsCause,
     true},
    {{"divergence", "the unit that leads",
      "active lanes per instruction, not predicated off, < 24 of 32 (ncu), by counters or PM "
      "samples, of those that the block's last warp has; a pipe or the issue slots lead",
      "one-path-per-warp", "blocks of 16 threads"},
     DivergenceCause},
    {{"host-memory", "latency",
      "half or more of L2's fills come from the host, at 0.2 % of peak or more (own); no unit is "
      "busy, and warps wait for memory. Or, with low confidence and without a bound: it only "
      "stores, at half of the rate of the link to the host or more (own) and not above it (hw), "
      "80 % or more hit L2, and L2 and DRAM are idle. By PM samples: half or more of L2's sectors "
      "are of other memory than the GPU's own (own)",
      "move-to-device", "\"prefetch with cp.async\" at the rate of the link"},
     HostMemoryCause},
};

void AddOperands(const RuleInputs& inputs, std::string_view rule, Verdict* verdict) {
  if (rule == "small-grid" || rule == "tail" || rule == "imbalance") {
    AddGrid(inputs, verdict);
    AddActivity(inputs, verdict);
    AddWarps(inputs, verdict);
  } else if (rule == "shared-bank-conflicts") {
    AddConflicts(inputs, verdict);
  } else if (rule == "atomics") {
    AddAtomics(inputs, verdict);
  } else if (rule == "divergence") {
    AddLanes(inputs, verdict);
  } else {
    AddMemoryAccess(inputs, verdict);
    AddSampledAccess(inputs, verdict);
    AddLocal(inputs, verdict);
    AddTraffic(inputs, verdict);
  }
}

void AddDoubts(const RuleInputs& inputs, const Cause& cause, Verdict* verdict) {
  if (!cause.doubt.id.empty()) AddDoubt(cause.doubt.id, cause.doubt.text, verdict);
  if (cause.rule == "small-grid") {
    // The launch record decides; counters only rule out that a unit is busy.
    AddDoubtsOfWinner(inputs, 1 - inputs.kernel->occupancy.waves, cause.frees, verdict);
    AddDoubtsOfData(inputs, inputs.leader ? inputs.SamplesOf(*inputs.leader) : 0, verdict);
  } else if (cause.rule == "phases") {
    AddDoubtsOfData(inputs, static_cast<double>(inputs.kernel->course.launches), verdict);
  } else if (cause.limiter == Limiter::kTail) {
    AddDoubt("blocks-unknown", "the times of single blocks are not known", verdict);
    AddDoubtsOfData(inputs, inputs.activity_samples, verdict);
  } else if (inputs.leader && UnitsDecide(inputs)) {
    AddDoubtsOfWinner(inputs, inputs.Deciding(inputs.leader->unit, inputs.leader->at_least()),
                      cause.frees - LeftOfLeader(inputs), verdict);
    AddDoubtsOfData(inputs, inputs.SamplesOf(*inputs.leader), verdict);
  } else {
    if (!inputs.stalls.empty()) {
      AddDoubt("by-stalls", "no unit is busy: it is named because the warps wait", verdict);
    }
    AddDoubtsOfWaiting(inputs, verdict);
  }
}

// Shared memory stays busy without its bank conflicts: the accesses themselves are worth a look.
void AddAccessesThatStay(const RuleInputs& inputs, Verdict* verdict) {
  const UnitUse* const shared = inputs.counters->Find(Unit::kShared);
  const double conflicts = std::max(inputs.conflicts.value_or(0), inputs.conflicts_at_most);
  if (shared == nullptr || shared->at_least() * (1 - conflicts) < kBusy) return;
  verdict->actions.push_back(FewerSharedAccesses(inputs));
}

}  // namespace

std::vector<Cause> FindCauses(const RuleInputs& inputs) {
  std::vector<Cause> causes;
  for (const Row& row : kCauseRows) {
    if (inputs.kernel == nullptr && !row.of_region) continue;
    std::optional<Cause> cause = row.find(inputs);
    if (!cause) continue;
    cause->rule = row.text.id;
    causes.push_back(*std::move(cause));
  }
  std::stable_sort(causes.begin(), causes.end(),
                   [](const Cause& a, const Cause& b) { return a.frees > b.frees; });
  // A waste that is the verdict explains why some SMs end later.
  const bool is_explained =
      !causes.empty() && causes.front().is_verdict && causes.front().limiter != Limiter::kTail;
  for (Cause& cause : causes) {
    if (is_explained && cause.rule == "imbalance") cause.is_verdict = cause.is_beside = false;
  }
  return causes;
}

void FillCause(const RuleInputs& inputs, const Cause& cause, Verdict* verdict) {
  verdict->limiter = cause.limiter;
  verdict->rule = cause.rule;
  verdict->summary = cause.summary;
  verdict->actions = {cause.action};
  if (inputs.leader) AddUnit(inputs, *inputs.leader, verdict);
  AddOperands(inputs, cause.rule, verdict);
  if (!UnitsDecide(inputs)) AddStalls(inputs, verdict);
  if (cause.limiter == Limiter::kLatency && !inputs.stalls.empty()) {
    verdict->stall = inputs.stalls.front().reason;
  }
  AddDoubts(inputs, cause, verdict);
  verdict->missing = cause.missing;
  if (cause.limiter == Limiter::kTail && !UnitsDecide(inputs) && inputs.stalls.empty()) {
    AddDoubt("waits-unknown", "whether the blocks wait as well is not known", verdict);
    verdict->missing = "warp stall reasons (" + WayTo(inputs, format::kNeedsStalls) +
                       "): whether the blocks wait as well";
  }
  if (cause.rule == "shared-bank-conflicts") AddAccessesThatStay(inputs, verdict);
  if (cause.rule == "shared-bank-conflicts" && inputs.conflicts_inferred) {
    AddDoubt("inferred", "the conflicts were inferred from the wavefronts per request", verdict);
    verdict->missing =
        std::string(inputs.shared.inferred ? "l1tex__data_pipe_lsu_wavefronts_mem_shared and "
                                           : "") +
        "the bank conflicts (" + WayTo(inputs, format::kNeedsShared) +
        "): they were inferred from the wavefronts per request";
  }
}

std::vector<CauseRow> CauseRows() {
  std::vector<CauseRow> rows;
  for (const Row& row : kCauseRows) rows.push_back(row.text);
  return rows;
}

std::string CauseTable() {
  RuleTable table({"id", "verdict", "condition (source)", "action", "a wrong answer would be"});
  for (const CauseRow& row : CauseRows()) {
    table.Add({AsCode(row.id), row.limiter, row.condition, AsCode(row.action), row.wrong});
  }
  return table.text();
}

}  // namespace prof::analyzer
