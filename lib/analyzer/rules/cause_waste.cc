// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/cause_waste.h"

#include <algorithm>
#include <initializer_list>

#include "lib/analyzer/base/host_link.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/rules/rule_access.h"
#include "lib/analyzer/rules/rule_actions.h"
#include "lib/analyzer/rules/rule_bounds.h"
#include "lib/analyzer/rules/rule_code.h"
#include "lib/analyzer/rules/rule_evidence.h"
#include "lib/analyzer/rules/rule_suspicions.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::analyzer {
namespace {

constexpr std::initializer_list<Unit> kPipes = {Unit::kFma, Unit::kAlu, Unit::kFp64, Unit::kSfu,
                                                Unit::kIssue};

// A waste that was counted may be all that a kernel does: where no unit has work that is certain to
// stay, all of the time may go.
Bound WithoutWaste(const RuleInputs& inputs, const Relief& relief) {
  Bound bound = BoundBy(inputs, relief);
  if (bound.gain) return bound;
  return {1, "1 - 0: no unit has work that is certain to stay"};
}

}  // namespace

std::optional<Cause> BankConflictsCause(const RuleInputs& inputs) {
  const double share = inputs.conflicts.value_or(0);
  if (share < kConflictShare) return std::nullopt;
  const double most = inputs.conflicts_at_most;
  const double part = inputs.shared.share.value_or(1);
  Relief expected, at_most;
  expected.wavefronts_only = at_most.requests_stay = true;
  expected.Take({Unit::kShared, Unit::kL1}, share * part);
  at_most.Take({Unit::kShared, Unit::kL1}, most * (inputs.shared.inferred ? 1 : part));
  Cause cause = MakeCause(Limiter::kShared, Frees(inputs, expected));
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

std::optional<Cause> UncoalescedCause(const RuleInputs& inputs) {
  const std::optional<SectorWaste> waste = FindSectorWaste(inputs);
  if (!waste) return std::nullopt;
  Relief expected, at_most;
  const double on_l1 = 1 - inputs.shared.share.value_or(0);
  expected.Take({Unit::kDram, Unit::kL2}, waste->below_l1).Take({Unit::kL1}, waste->in_l1 * on_l1);
  // A request that waste makes long takes one wavefront at least.
  at_most.requests_stay = true;
  at_most.Take({Unit::kDram, Unit::kL2}, waste->most_below_l1).Take({Unit::kL1, Unit::kShared}, 1);
  Cause cause = MakeCause(LimiterOf(inputs, Limiter::kL1), Frees(inputs, expected));
  const bool of_memory =
      inputs.leader && IsOneOf(inputs.leader->unit, {Unit::kDram, Unit::kL2, Unit::kL1});
  // Scattered sectors keep DRAM below what it reaches for long runs.
  const bool scattered = of_memory && inputs.leader->of_peak >= kScatteredUse &&
                         cause.frees >= kStallShare &&
                         (WaitsForUnknown(inputs) || WaitsFor(inputs, {"long_scoreboard"}));
  cause.is_verdict = (of_memory && BeatsUnits(inputs, cause.frees)) ||
                     (!UnitsDecide(inputs) && (scattered || WaitsFor(inputs, {"lg_throttle"})));
  cause.action = MakeAction("coalesce", BoundBy(inputs, at_most));
  cause.missing = waste->missing;
  if (!waste->missing.empty()) {
    cause.doubt = {"sectors-unknown", "how many of the bytes are used was not counted"};
  }
  cause.summary = "It moves bytes that it does not use: " + waste->text + ".";
  if (of_memory) cause.summary += " " + DescribeUse(*inputs.leader) + ".";
  return cause;
}

namespace {

// What the code alone shows is no amount: the cause is the verdict where nothing else is, and it
// does not rank.
void SetByCode(const std::string& text, Cause* cause) {
  cause->frees = 0;
  cause->summary = text::Capitalized(text);
}

constexpr const char* kRunsUnknown = "how often these instructions run is not known";

// `unknown`: what they would show. `doubt`: its id.
void LackSectors(const RuleInputs& inputs, const char* sectors, const char* unknown,
                 const char* doubt, Cause* cause) {
  cause->missing =
      std::string(sectors) + " (" + WayTo(inputs, format::kNeedsMemory) + "): " + unknown;
  cause->doubt = {doubt, unknown};
}

std::string OfLocalSectors(double share, bool counted) {
  return text::Percent(share) +
         (counted ? " of the sectors of L1 are local memory"
                  : " or more of L1's work is on local memory, because no loop of the code "
                    "accesses global memory");
}

}  // namespace

// Local memory: spilled registers, or arrays that are indexed at run time.
std::optional<Cause> SpillsCause(const RuleInputs& inputs) {
  const std::optional<double> counted = LocalShare(inputs);
  const std::optional<double> least = counted ? counted : LeastLocalOnL1(inputs);
  const bool known = counted || least.value_or(0) > kMostInCode;
  const std::optional<double> share = known ? least : LocalAccessInCode(inputs);
  if (!share || *share <= (counted ? kLocalShare : kMostInCode)) return std::nullopt;
  Relief expected, at_most;
  expected.Take(kMemoryPath, *share).Take({Unit::kIssue}, 1);
  // Local sectors may miss L1 more often than the others: all that L2 and DRAM do may be theirs.
  // The index arithmetic of local arrays goes with them.
  at_most.Take(kMemoryPath, 1).Take(kInstructions, 1);
  Cause cause = MakeCause(LimiterOf(inputs, Limiter::kLatency), Frees(inputs, expected));
  const bool of_memory = inputs.leader && IsOneOf(inputs.leader->unit, kMemoryPath);
  const bool waits = WaitsFor(inputs, {"long_scoreboard", "lg_throttle"});
  const bool limits = of_memory && known && BeatsUnits(inputs, cause.frees);
  if (counted) {
    cause.is_verdict = limits || (!UnitsDecide(inputs) && *share >= kStallShare && waits);
  } else {
    // L1 serves them: where it has hardly work, they are hardly executed.
    cause.is_verdict =
        limits || (!UnitsDecide(inputs) && inputs.UseOf(Unit::kL1) >= kLeastLocalOnL1 &&
                   (waits || WaitsForUnknown(inputs)));
  }
  if (known) {
    cause.summary = OfLocalSectors(*share, counted.has_value());
  } else {
    SetByCode(DescribeLocalAccessInCode(inputs), &cause);
  }
  if (!counted) {
    LackSectors(inputs, "the sectors of local memory",
                known ? "how many of them L2 gets is not known" : kRunsUnknown,
                known ? "sectors-unknown" : "code-alone", &cause);
  }
  cause.action = MakeAction("remove-spills", WithoutWaste(inputs, at_most));
  if (inputs.kernel->local_bytes_per_thread > 0) {
    cause.summary +=
        " (" + text::Fixed(inputs.kernel->local_bytes_per_thread, 0) + " B per thread)";
  }
  cause.summary += ": register spills, or arrays indexed at run time.";
  return cause;
}

std::optional<Cause> AtomicsCause(const RuleInputs& inputs) {
  const std::optional<double> counted = AtomicShare(inputs);
  const bool by_code = !counted && !KnowsAtomicUnit(inputs);
  const std::optional<double> share = by_code ? AtomicsInCode(inputs) : counted;
  if (!share || *share <= (by_code ? kMostInCode : kAtomicShare) ||
      inputs.UseOf(Unit::kDram) >= kBusy) {
    return std::nullopt;
  }
  Relief expected, at_most;
  expected.Take({Unit::kL2}, *share).Take({Unit::kL1, Unit::kLsu}, 1);
  // A loop of compare and swap repeats the arithmetic of those that lose.
  at_most.Take(kMemoryPath, 1).Take(kInstructions, 1).Take({Unit::kFp64}, 1);
  const bool on_l2 = inputs.UseOf(Unit::kL2) >= kStallShare;
  Cause cause = MakeCause(LimiterOf(inputs, on_l2 ? Limiter::kL2 : Limiter::kLatency),
                          Frees(inputs, expected));
  const bool of_l2 =
      inputs.leader && IsOneOf(inputs.leader->unit, {Unit::kL2, Unit::kL1, Unit::kLsu});
  const bool waits =
      inputs.stalls.empty()
          ? *share >= kStallShare && WaitsForUnknown(inputs)
          : WaitsFor(inputs, {"long_scoreboard", "lg_throttle", "drain", "membar", "mio_throttle"});
  cause.is_verdict = UnitsDecide(inputs) ? of_l2 && BeatsUnits(inputs, cause.frees) : waits;
  cause.action = MakeAction("aggregate-atomics", WithoutWaste(inputs, at_most));
  if (by_code) {
    SetByCode(DescribeAtomicsInCode(inputs), &cause);
    LackSectors(inputs, "L2's sectors by operation", kRunsUnknown, "code-alone", &cause);
    cause.summary += ".";
  } else if (CountsAtomics(inputs)) {
    cause.summary = text::Percent(*share) + " of L2's work is atomics or reductions.";
  } else {
    cause.summary = text::Capitalized(DescribeAtomicsInCode(inputs)) + ".";
  }
  return cause;
}

std::optional<Cause> DivergenceCause(const RuleInputs& inputs) {
  const std::optional<double> lanes = ActiveLanes(inputs);
  if (!lanes || *lanes >= kThreadsPerInst / kWarpThreads) return std::nullopt;
  Relief expected;
  expected.Take(kPipes, 1 - *lanes).Take({Unit::kLsu, Unit::kTexture}, 1 - *lanes);
  // The lanes are those of all instructions together. The instructions of one pipe may have fewer,
  // and accesses of several paths become one.
  Relief at_most = AllBut({Unit::kDram, Unit::kTensor});
  at_most.Take({Unit::kIssue}, KnowsPredication(inputs) ? 1 - *lanes : 1);
  Cause cause = MakeCause(LimiterOf(inputs, Limiter::kIssue), Frees(inputs, expected));
  cause.is_verdict =
      inputs.leader && IsOneOf(inputs.leader->unit, kPipes) && BeatsUnits(inputs, cause.frees);
  cause.action = MakeAction("one-path-per-warp", BoundBy(inputs, at_most));
  cause.summary = "Only " + text::Percent(*lanes) +
                  " of the lanes of a warp do work, on average over its instructions.";
  if (inputs.leader) cause.summary += " " + DescribeUse(*inputs.leader) + ".";
  return cause;
}

namespace {

// No counter has the stores that go to the host: L2 takes them, as those to device memory. Stores
// to device memory do not keep warps waiting while L2 and DRAM idle.
std::optional<Cause> HostStores(const RuleInputs& inputs) {
  const std::optional<double> rate = StoreOnlyRate(inputs);
  const double link = HostLinkBytesPerS(inputs.device);
  if (!rate || *rate < kHalfOf * link || *rate > link) return std::nullopt;
  if (!LooksBehindLink(inputs) || inputs.l2_hits.value_or(0) < kHits) return std::nullopt;
  Relief relief;
  relief.Take(kMemoryPath, 1);
  Cause cause = MakeCause(Limiter::kLatency, Frees(inputs, relief));
  cause.is_verdict = WaitsFor(inputs, {"long_scoreboard", "lg_throttle", "drain"});
  cause.action = MakeAction("move-to-device",
                            {std::nullopt, "whether its stores go to the host was not measured"});
  cause.summary = "It stores " + text::Fixed(*rate * 1e-9, 1) +
                  " GB/s, as much as the link to the host takes (" + text::Fixed(link * 1e-9, 0) +
                  " GB/s), and waits while L2 and DRAM are idle: its stores may go to host memory.";
  cause.missing = "where its stores go: no counter tells stores to the host from others";
  cause.doubt = {"place-unknown", "no counter tells stores to the host from others"};
  return cause;
}

// PM samples do not tell the host's memory from that of another GPU.
std::optional<Cause> OtherMemory(const RuleInputs& inputs) {
  const std::optional<PmRatio>& other = inputs.sampled.other_memory;
  if (!other || other->least < kHostShare || UnitsDecide(inputs)) return std::nullopt;
  Relief relief;
  relief.Take(kMemoryPath, 1);
  Cause cause = MakeCause(Limiter::kLatency, Frees(inputs, relief));
  cause.is_verdict =
      WaitsForUnknown(inputs) || WaitsFor(inputs, {"long_scoreboard", "lg_throttle", "drain"});
  cause.action = MakeAction("move-to-device", BoundBy(inputs, relief));
  cause.summary = text::Percent(other->value) +
                  " of L2's sectors are not of this GPU's memory, but of the host's or of another "
                  "GPU's, over a link.";
  return cause;
}

}  // namespace

std::optional<Cause> HostMemoryCause(const RuleInputs& inputs) {
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
  Cause cause = MakeCause(Limiter::kLatency, Frees(inputs, relief));
  cause.is_verdict = WaitsFor(inputs, {"long_scoreboard", "lg_throttle", "drain"});
  cause.action = MakeAction("move-to-device", BoundBy(inputs, relief));
  cause.summary = text::Percent(share) +
                  " of what L2 had to fetch came from host memory, over the link to the host.";
  return cause;
}

}  // namespace prof::analyzer
