// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/rule_causes.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <utility>

#include "lib/analyzer/base/host_link.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/kernels/unit_metrics.h"
#include "lib/analyzer/rules/rule_access.h"
#include "lib/analyzer/rules/rule_bounds.h"
#include "lib/analyzer/rules/rule_evidence.h"
#include "lib/analyzer/rules/rule_notes.h"
#include "lib/analyzer/rules/rule_suspicions.h"
#include "lib/analyzer/rules/verdict_latency.h"
#include "lib/analyzer/rules/verdict_units.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

using Units = std::initializer_list<Unit>;

constexpr Units kPipes = {Unit::kFma, Unit::kAlu, Unit::kFp64, Unit::kSfu, Unit::kIssue};

bool IsOneOf(Unit unit, Units units) {
  return std::find(units.begin(), units.end(), unit) != units.end();
}

bool UnitsDecide(const RuleInputs& inputs) { return LeaderBound(inputs) || Mixed(inputs); }

// What the limiting unit could still gain with the same work.
double LeftOfLeader(const RuleInputs& inputs) {
  return std::max(0.0, 1 - inputs.leader->at_least() / CeilingOf(inputs.leader->unit));
}

// What the expected relief frees, for the ranking.
double Frees(const RuleInputs& inputs, const Relief& relief) {
  return std::max(0.0, BoundBy(inputs, relief).gain.value_or(1));
}

bool WaitsFor(const RuleInputs& inputs, std::initializer_list<std::string_view> reasons) {
  if (!Waiting(inputs)) return false;
  const std::string_view top = inputs.stalls.front().reason;
  return std::find(reasons.begin(), reasons.end(), top) != reasons.end();
}

// No unit is busy, and the stalls were not read.
bool WaitsForUnknown(const RuleInputs& inputs) {
  return inputs.stalls.empty() && inputs.busiest < kBusy && inputs.unknown.empty();
}

// A unit is busy with what the cause wastes: without it the kernel is faster than the unit's
// ceiling allows.
bool BeatsUnits(const RuleInputs& inputs, double frees) {
  return UnitsDecide(inputs) && frees > LeftOfLeader(inputs) + kWorthwhileGain;
}

Limiter LimiterOf(const RuleInputs& inputs, Limiter otherwise) {
  if (!inputs.leader || !UnitsDecide(inputs)) return otherwise;
  switch (inputs.leader->unit) {
    case Unit::kDram:
      return Limiter::kDram;
    case Unit::kL2:
      return Limiter::kL2;
    case Unit::kL1:
      return Limiter::kL1;
    case Unit::kShared:
      return Limiter::kShared;
    case Unit::kTensor:
      return Limiter::kTensor;
    case Unit::kFma:
      return Limiter::kFma;
    case Unit::kAlu:
      return Limiter::kAlu;
    case Unit::kFp64:
      return Limiter::kFp64;
    case Unit::kSfu:
      return Limiter::kSfu;
    case Unit::kLsu:
      return inputs.shared.share.value_or(0) >= kSharedIsMost ? Limiter::kShared : Limiter::kL1;
    case Unit::kIssue:
      return Limiter::kIssue;
  }
  return otherwise;
}

Cause Make(std::string_view rule, Limiter limiter, double frees) {
  Cause cause;
  cause.rule = rule;
  cause.limiter = limiter;
  cause.frees = std::clamp(frees, 0.0, 1.0);
  return cause;
}

Bound OfBusiest(const RuleInputs& inputs) { return BoundBy(inputs, {}); }

// A waste that was counted may be all that a kernel does: where no unit has work that is certain to
// stay, all of the time may go.
Bound WithoutWaste(const RuleInputs& inputs, const Relief& relief) {
  Bound bound = BoundBy(inputs, relief);
  if (bound.gain) return bound;
  return {1, "1 - 0: no unit has work that is certain to stay"};
}

// The same work, spread evenly over all SMs.
Bound OfFullSms(const RuleInputs& inputs) {
  return LeastOf({OfBusiest(inputs), BoundByWarpSlots(inputs)});
}

// --- SMs without work

// SMs without work explain most of what the busiest unit leaves unused. A kernel that DRAM or L2
// limits stays theirs, with the blocks as its first action: the SMs that are left use them as well.
bool ShapeDecides(const RuleInputs& inputs, double frees) {
  if (UnitsDecide(inputs) && IsShared(inputs.leader->unit)) return false;
  const double unused = inputs.leader ? LeftOfLeader(inputs) : 1;
  const bool most = frees >= kExplainsMost * unused;
  return most || (!UnitsDecide(inputs) && !Waiting(inputs));
}

// `expected`: what it frees where all blocks take the same time. It is no bound: with one long
// block among short ones even more is idle.
Cause OfShape(const RuleInputs& inputs, std::string_view rule, Limiter limiter,
              std::string_view action, double expected) {
  const Bound bound = OfFullSms(inputs);
  Cause cause = Make(rule, limiter, std::min(expected, bound.gain.value_or(1)));
  const bool at_limit =
      inputs.leader && IsShared(inputs.leader->unit) && inputs.leader->at_least() >= kSaturated;
  cause.is_beside = inputs.unknown.empty() && !at_limit && cause.frees >= kWorthwhileGain;
  cause.is_verdict = cause.is_beside && ShapeDecides(inputs, cause.frees);
  cause.action = MakeAction(action, bound);
  return cause;
}

std::optional<Cause> SmallGrid(const RuleInputs& inputs) {
  const Occupancy& occupancy = inputs.kernel->occupancy;
  if (!occupancy.known || !(occupancy.waves > 0) || occupancy.waves >= 1) return std::nullopt;
  if (inputs.sm_count == 0 || 1 - inputs.blocks / inputs.sm_count < kIdleSms) return std::nullopt;
  Cause cause =
      OfShape(inputs, "small-grid", Limiter::kSmallGrid, "more-blocks", 1 - occupancy.waves);
  cause.summary = text::Fixed(inputs.blocks, 0) + " blocks leave " +
                  text::Percent(1 - inputs.blocks / inputs.sm_count) +
                  " of the SMs without work, and are " + text::Percent(occupancy.waves) +
                  " of one wave.";
  return cause;
}

std::string IdleShare(const RuleInputs& inputs) {
  return inputs.pm_active ? "at least " + text::Percent(*inputs.imbalance) + " of its time"
                          : text::Percent(*inputs.imbalance) + " of the busiest one's time";
}

std::optional<Cause> Tail(const RuleInputs& inputs) {
  if (!HasTail(inputs)) return std::nullopt;
  const Occupancy& occupancy = inputs.kernel->occupancy;
  Cause cause = OfShape(inputs, "tail", Limiter::kTail, "whole-waves",
                        std::min(*inputs.imbalance, occupancy.tail_lost));
  cause.summary = "The last of " + text::Fixed(occupancy.waves, 2) +
                  " waves is partial: the SMs are idle for " + IdleShare(inputs) + ".";
  return cause;
}

std::optional<Cause> Imbalance(const RuleInputs& inputs) {
  if (!IsImbalanced(inputs)) return std::nullopt;
  Cause cause = OfShape(inputs, "imbalance", Limiter::kTail, "even-out-blocks", *inputs.imbalance);
  // Blocks of the same work end at different times where they wait for each other's memory.
  cause.is_beside = cause.is_beside && !Waiting(inputs);
  cause.summary = "Some SMs work much longer than others: the average one is idle for " +
                  IdleShare(inputs) + ".";
  return cause;
}

// --- a waste that was counted

std::optional<Cause> BankConflicts(const RuleInputs& inputs) {
  const double share = inputs.conflicts.value_or(0);
  if (share < kConflictShare) return std::nullopt;
  const double most = inputs.conflicts_at_most;
  const double part = inputs.shared.share.value_or(1);
  Relief expected, at_most;
  expected.wavefronts_only = at_most.requests_stay = true;
  expected.Take({Unit::kShared, Unit::kL1}, share * part);
  at_most.Take({Unit::kShared, Unit::kL1}, most * (inputs.shared.inferred ? 1 : part));
  Cause cause = Make("shared-bank-conflicts", Limiter::kShared, Frees(inputs, expected));
  cause.is_verdict = BeatsUnits(inputs, cause.frees) ||
                     (!UnitsDecide(inputs) && inputs.kernel != nullptr && share >= kStallShare &&
                      WaitsFor(inputs, {"mio_throttle", "short_scoreboard"}));
  cause.action = MakeAction("remove-bank-conflicts", BoundBy(inputs, at_most));
  const UnitUse* const shared = inputs.counters->Find(Unit::kShared);
  cause.summary = "Limited by shared memory" +
                  (shared == nullptr ? "" : " at " + PercentOf(*shared) + " of peak") + ", " +
                  (inputs.conflicts_inferred ? "at least " : "") + text::Percent(share) +
                  " of it bank conflicts.";
  return cause;
}

std::optional<Cause> Uncoalesced(const RuleInputs& inputs) {
  const std::optional<SectorWaste> waste = FindSectorWaste(inputs);
  if (!waste) return std::nullopt;
  Relief expected, at_most;
  const double on_l1 = 1 - inputs.shared.share.value_or(0);
  expected.Take({Unit::kDram, Unit::kL2}, waste->below_l1).Take({Unit::kL1}, waste->in_l1 * on_l1);
  // A request that waste makes long takes one wavefront at least.
  at_most.requests_stay = true;
  at_most.Take({Unit::kDram, Unit::kL2}, waste->most_below_l1).Take({Unit::kL1, Unit::kShared}, 1);
  Cause cause = Make("uncoalesced", LimiterOf(inputs, Limiter::kL1), Frees(inputs, expected));
  const bool of_memory =
      inputs.leader && IsOneOf(inputs.leader->unit, {Unit::kDram, Unit::kL2, Unit::kL1});
  // Scattered sectors keep DRAM below what it reaches for long runs.
  const bool scattered = of_memory && inputs.leader->at_least() >= kScatteredUse &&
                         cause.frees >= kStallShare &&
                         (WaitsForUnknown(inputs) || WaitsFor(inputs, {"long_scoreboard"}));
  cause.is_verdict = (of_memory && BeatsUnits(inputs, cause.frees)) ||
                     (!UnitsDecide(inputs) && (scattered || WaitsFor(inputs, {"lg_throttle"})));
  cause.action = MakeAction("coalesce", BoundBy(inputs, at_most));
  cause.missing = waste->missing;
  cause.at_best = Confidence::kMedium;
  cause.summary = "It moves bytes that it does not use: " + waste->text + ".";
  if (of_memory) cause.summary += " " + DescribeUse(*inputs.leader) + ".";
  return cause;
}

// Local memory: spilled registers, or arrays that are indexed at run time.
std::optional<Cause> Spills(const RuleInputs& inputs) {
  const std::optional<double> share = LocalShare(inputs);
  if (!share || *share <= kLocalShare) return std::nullopt;
  Relief expected, at_most;
  expected.Take(kMemoryPath, *share).Take({Unit::kIssue}, 1);
  // Local sectors may miss L1 more often than the others: all that L2 and DRAM do may be theirs.
  // The index arithmetic of local arrays goes with them.
  at_most.Take(kMemoryPath, 1).Take(kInstructions, 1);
  Cause cause = Make("spills", LimiterOf(inputs, Limiter::kLatency), Frees(inputs, expected));
  const bool of_memory = inputs.leader && IsOneOf(inputs.leader->unit, kMemoryPath);
  cause.is_verdict = (of_memory && BeatsUnits(inputs, cause.frees)) ||
                     (!UnitsDecide(inputs) && *share >= kStallShare &&
                      WaitsFor(inputs, {"long_scoreboard", "lg_throttle"}));
  cause.action = MakeAction("remove-spills", WithoutWaste(inputs, at_most));
  cause.summary = text::Percent(*share) + " of the sectors of L1 are local memory";
  if (inputs.kernel->local_bytes_per_thread > 0) {
    cause.summary +=
        " (" + text::Fixed(inputs.kernel->local_bytes_per_thread, 0) + " B per thread)";
  }
  cause.summary += ": register spills, or arrays indexed at run time.";
  return cause;
}

std::optional<Cause> Atomics(const RuleInputs& inputs) {
  const std::optional<double> share = AtomicShare(inputs);
  if (!share || *share <= kAtomicShare || inputs.UseOf(Unit::kDram) >= kBusy) return std::nullopt;
  Relief expected, at_most;
  expected.Take({Unit::kL2}, *share).Take({Unit::kL1, Unit::kLsu}, 1);
  // A loop of compare and swap repeats the arithmetic of those that lose.
  at_most.Take(kMemoryPath, 1).Take(kInstructions, 1).Take({Unit::kFp64}, 1);
  const bool on_l2 = inputs.UseOf(Unit::kL2) >= kStallShare;
  Cause cause = Make("atomics", LimiterOf(inputs, on_l2 ? Limiter::kL2 : Limiter::kLatency),
                     Frees(inputs, expected));
  const bool of_l2 =
      inputs.leader && IsOneOf(inputs.leader->unit, {Unit::kL2, Unit::kL1, Unit::kLsu});
  const bool waits =
      inputs.stalls.empty()
          ? *share >= kStallShare && WaitsForUnknown(inputs)
          : WaitsFor(inputs, {"long_scoreboard", "lg_throttle", "drain", "membar", "mio_throttle"});
  cause.is_verdict = UnitsDecide(inputs) ? of_l2 && BeatsUnits(inputs, cause.frees) : waits;
  cause.action = MakeAction("aggregate-atomics", WithoutWaste(inputs, at_most));
  cause.summary = text::Percent(*share) + " of L2's work is atomics or reductions.";
  return cause;
}

std::optional<Cause> Divergence(const RuleInputs& inputs) {
  const std::optional<double> lanes = ActiveLanes(inputs);
  if (!lanes || *lanes >= kThreadsPerInst / kWarpThreads) return std::nullopt;
  Relief expected;
  expected.Take(kPipes, 1 - *lanes).Take({Unit::kLsu}, 1 - *lanes);
  // The lanes are those of all instructions together. The instructions of one pipe may have fewer,
  // and accesses of several paths become one.
  Relief at_most = AllBut({Unit::kDram, Unit::kTensor});
  at_most.Take({Unit::kIssue}, KnowsPredication(inputs) ? 1 - *lanes : 1);
  Cause cause = Make("divergence", LimiterOf(inputs, Limiter::kIssue), Frees(inputs, expected));
  cause.is_verdict =
      inputs.leader && IsOneOf(inputs.leader->unit, kPipes) && BeatsUnits(inputs, cause.frees);
  cause.action = MakeAction("one-path-per-warp", BoundBy(inputs, at_most));
  cause.summary = "Only " + text::Percent(*lanes) +
                  " of the lanes of a warp do work, on average over its instructions.";
  if (inputs.leader) cause.summary += " " + DescribeUse(*inputs.leader) + ".";
  return cause;
}

// No counter has the stores that go to the host: L2 takes them, as those to device memory. Stores
// to device memory do not keep warps waiting while L2 and DRAM idle.
std::optional<Cause> HostStores(const RuleInputs& inputs) {
  const std::optional<double> rate = StoreOnlyRate(inputs);
  const double link = HostLinkBytesPerS(inputs.device);
  if (!rate || *rate < kHalfOf * link || *rate > link) return std::nullopt;
  if (!LooksBehindLink(inputs) || inputs.l2_hits.value_or(0) < kHits) return std::nullopt;
  Relief relief;
  relief.Take(kMemoryPath, 1);
  Cause cause = Make("host-memory", Limiter::kLatency, Frees(inputs, relief));
  cause.is_verdict = WaitsFor(inputs, {"long_scoreboard", "lg_throttle", "drain"});
  cause.action = MakeAction("move-to-device",
                            {std::nullopt, "whether its stores go to the host was not measured"});
  cause.summary = "It stores " + text::Fixed(*rate * 1e-9, 1) +
                  " GB/s, as much as the link to the host takes (" + text::Fixed(link * 1e-9, 0) +
                  " GB/s), and waits while L2 and DRAM are idle: its stores may go to host memory.";
  cause.missing = "where its stores go: no counter tells stores to the host from others";
  return cause;
}

// PM samples do not tell the host's memory from that of another GPU.
std::optional<Cause> OtherMemory(const RuleInputs& inputs) {
  const std::optional<PmRatio>& other = inputs.sampled.other_memory;
  if (!other || other->least < kHostShare || UnitsDecide(inputs)) return std::nullopt;
  Relief relief;
  relief.Take(kMemoryPath, 1);
  Cause cause = Make("host-memory", Limiter::kLatency, Frees(inputs, relief));
  cause.is_verdict =
      WaitsForUnknown(inputs) || WaitsFor(inputs, {"long_scoreboard", "lg_throttle", "drain"});
  cause.action = MakeAction("move-to-device", BoundBy(inputs, relief));
  cause.summary = text::Percent(other->value) +
                  " of L2's sectors are not of this GPU's memory, but of the host's or of another "
                  "GPU's, over a link.";
  return cause;
}

std::optional<Cause> HostMemory(const RuleInputs& inputs) {
  const auto host = inputs.Median("lts__d_sectors_fill_sysmem.avg.pct_of_peak_sustained_elapsed");
  const auto device = inputs.Median("lts__d_sectors_fill_device.avg.pct_of_peak_sustained_elapsed");
  if (!host || !device || *host < kLeastHostFills) {
    const std::optional<Cause> other = OtherMemory(inputs);
    return other ? other : HostStores(inputs);
  }
  const double share = *host / (*host + *device);
  if (share < kHostShare || UnitsDecide(inputs)) return std::nullopt;
  Relief relief;
  relief.Take(kMemoryPath, 1);
  Cause cause = Make("host-memory", Limiter::kLatency, Frees(inputs, relief));
  cause.is_verdict = WaitsFor(inputs, {"long_scoreboard", "lg_throttle", "drain"});
  cause.action = MakeAction("move-to-device", BoundBy(inputs, relief));
  cause.summary = text::Percent(share) +
                  " of what L2 had to fetch came from host memory, over the link to the host.";
  return cause;
}

struct Row {
  CauseRow text;
  std::optional<Cause> (*find)(const RuleInputs&);
  bool of_region = false;  // holds for a counted region, too; its inputs have no kernel
};

constexpr Row kCauseRows[] = {
    {{"small-grid", "small-grid",
      "waves < 1 (ncu), 10 % or more of the SMs without a block (own), all units known. It decides "
      "at any use: where it explains half or more of what the busiest unit leaves unused (own). "
      "Where DRAM or L2 limits it is an action beside that verdict, below 80 %",
      "more-blocks",
      "\"memory latency\" because long_scoreboard is the top stall; a persistent kernel of one "
      "block per SM"},
     SmallGrid},
    {{"tail", "tail",
      "w >= 1 waves, (ceil(w) - w) / ceil(w) >= 10 % (own; ncu: 1 / (1 + full waves) >= 20 %, "
      "which "
      "ignores how full the last wave is) and SM activity average 5 % below maximum (ncu), less 3 "
      "us "
      "to fill and drain the GPU (own). It decides as small-grid does, or where no stall explains "
      "the kernel",
      "whole-waves", "a tail at 30.1 waves; none at 1.01"},
     Tail},
    {{"imbalance", "tail",
      "SM activity as for `tail`, achieved occupancy 10 points below theoretical (ncu), w >= 1, no "
      "tail; where no warps were counted: SM activity 20 % below (own). Otherwise as `tail`",
      "even-out-blocks", "\"occupancy\"; a work queue for atomics"},
     Imbalance},
    {{"spills", "the memory unit that leads, or latency",
      "local sectors > 5 % of local and global ones (own); a memory unit is busy, or they are 30 % "
      "or more and warps wait for long_scoreboard or lg_throttle (ncu)",
      "remove-spills", "\"relieve both units\"; a smaller type"},
     Spills},
    {{"atomics", "l2 or latency",
      "atomic and reduction sectors > 20 % of L2's (own), DRAM < 60 %; where they were not "
      "counted: "
      "L2's atomic unit is at half or more of L2's use (own). L2 or L1 is busy, or warps wait for "
      "memory",
      "aggregate-atomics", "\"more loads in flight\" for additions to one address"},
     Atomics},
    {{"uncoalesced", "dram, l2 or l1",
      "less than 26 of 32 bytes of a sector are used (own; ncu: < 32), or more than 16 sectors per "
      "request (hw), in loads or stores that are 5 % or more of the sectors (own). Below L1 a "
      "sector's uses add up over its hits. By PM samples alone: L1 gets 5 or more sectors for 128 "
      "bytes that it returns, where no copy to shared memory can be the reason; or fewer than 2 "
      "sectors in a request to L2; or, for stores, DRAM reads 5 % of its peak or more that no SM "
      "asked for (own). DRAM, L2 or L1 is busy, or lg_throttle is the top stall, or "
      "long_scoreboard or an unknown one with one of the units at 50 % or more",
      "coalesce", "\"DRAM is at its ceiling\" with 4 of 32 bytes used; a chain of pointers"},
     Uncoalesced},
    {{"shared-bank-conflicts", "shared",
      "bank conflicts >= 10 % of shared memory's wavefronts (ncu), those of wgmma included, by "
      "counters or PM samples; without both: more than 4 wavefronts per request (hw). Shared "
      "memory "
      "is busy, or "
      "they are 30 % or more and warps wait for mio_throttle or short_scoreboard",
      "remove-bank-conflicts", "conflicts blamed at 5 %; those of a GEMM's epilogue"},
     BankConflicts,
     true},
    {{"divergence", "the unit that leads",
      "active lanes per instruction, not predicated off, < 24 of 32 (ncu), by counters or PM "
      "samples, of those that the block's last warp has; a pipe or the issue slots lead",
      "one-path-per-warp", "blocks of 16 threads"},
     Divergence},
    {{"host-memory", "latency",
      "half or more of L2's fills come from the host, at 0.2 % of peak or more (own); no unit is "
      "busy, and warps wait for memory. Or, with low confidence and without a bound: it only "
      "stores, at half of the rate of the link to the host or more (own) and not above it (hw), "
      "80 % or more hit L2, and L2 and DRAM are idle. By PM samples: half or more of L2's sectors "
      "are of other memory than the GPU's own (own)",
      "move-to-device", "\"prefetch with cp.async\" at the rate of the link"},
     HostMemory},
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

Confidence ConfidenceOf(const RuleInputs& inputs, const Cause& cause) {
  if (cause.rule == "small-grid") {
    // The launch record decides; counters only rule out that a unit is busy.
    return DecideConfidence(inputs, 1 - inputs.kernel->occupancy.waves, cause.frees,
                            inputs.leader ? inputs.SamplesOf(*inputs.leader) : 0);
  }
  if (cause.limiter == Limiter::kTail) {
    return DecideConfidence(inputs, 0, 0, inputs.activity_samples);
  }
  if (inputs.leader && UnitsDecide(inputs)) {
    const double named = inputs.WhileActive(inputs.leader->unit, inputs.leader->at_least());
    return DecideConfidence(inputs, named, cause.frees - LeftOfLeader(inputs),
                            inputs.SamplesOf(*inputs.leader));
  }
  const double share = inputs.stalls.empty() ? 0 : inputs.stalls.front().share;
  const double second = inputs.stalls.size() > 1 ? inputs.stalls[1].share : 0;
  return std::min(Confidence::kMedium,
                  DecideConfidence(inputs, share, share - second,
                                   inputs.SamplesOf("smsp__issue_active.avg.per_cycle_active")));
}

}  // namespace

std::vector<Cause> FindCauses(const RuleInputs& inputs) {
  std::vector<Cause> causes;
  for (const Row& row : kCauseRows) {
    if (inputs.kernel == nullptr && !row.of_region) continue;
    if (std::optional<Cause> cause = row.find(inputs)) causes.push_back(*std::move(cause));
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
  verdict->confidence = ConfidenceOf(inputs, cause);
  if (!cause.missing.empty()) verdict->confidence = std::min(verdict->confidence, cause.at_best);
  verdict->missing = cause.missing;
  if (cause.limiter == Limiter::kTail && !UnitsDecide(inputs) && inputs.stalls.empty()) {
    verdict->confidence = Confidence::kLow;
    verdict->missing = "warp stall reasons (" + WayTo(inputs, format::kNeedsStalls) +
                       "): whether the blocks wait as well";
  }
  if (cause.rule == "shared-bank-conflicts" && inputs.conflicts_inferred) {
    verdict->confidence = std::min(verdict->confidence, Confidence::kMedium);
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
  std::string table =
      "| id | verdict | condition (source) | action | a wrong answer would be |\n"
      "|---|---|---|---|---|\n";
  for (const Row& row : kCauseRows) {
    const CauseRow& text = row.text;
    table.append("| `").append(text.id).append("` | ").append(text.limiter).append(" | ");
    table.append(text.condition).append(" | `").append(text.action).append("` | ");
    table.append(text.wrong).append(" |\n");
  }
  return table;
}

}  // namespace prof::analyzer
