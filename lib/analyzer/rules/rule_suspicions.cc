// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/rule_suspicions.h"

#include <optional>

#include "lib/analyzer/base/rule_table.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/analyzer/rules/rule_access.h"
#include "lib/analyzer/rules/rule_actions.h"
#include "lib/analyzer/rules/rule_code.h"
#include "lib/analyzer/rules/rule_confidence.h"
#include "lib/analyzer/rules/rule_evidence.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

// A level of --counters always reads them; --counters auto does not where no unit is busy.
std::string SectorsByOperation() {
  return "sectors by operation (--counters " + std::string(format::LevelFor(format::kNeedsMemory)) +
         ")";
}

bool UsesMemory(const RuleInputs& inputs) { return inputs.UseOf(Unit::kL2) >= kNoWork; }

bool SectorsUnknown(const RuleInputs& inputs) {
  return !KnowsSectors(inputs) && !SampledAsCoalesced(inputs);
}

bool ConflictsUnknown(const RuleInputs& inputs) { return !inputs.conflicts; }

bool LocalUnknown(const RuleInputs& inputs) {
  const bool local = inputs.kernel != nullptr && inputs.kernel->local_bytes_per_thread > 0;
  return local && !LocalShare(inputs) && !HasNoLocalAccess(inputs);
}

bool LoadsMayBeLate(const RuleInputs& inputs) { return !LooksBehindLink(inputs); }

bool AtomicsMayBeLate(const RuleInputs& inputs) { return !HasNoAtomics(inputs); }

bool LinkMayBeLate(const RuleInputs& inputs) {
  return LooksBehindLink(inputs) && !inputs.sampled.other_memory;
}

bool CodeMayBeLate(const RuleInputs& inputs) { return LoopsBeyondCache(inputs) > 0; }

std::string NameSectors(const RuleInputs&) {
  return "whether all bytes of the sectors are used was";
}

std::string NameConflicts(const RuleInputs&) { return "bank conflicts were"; }

std::string NameAtomics(const RuleInputs&) { return "atomics and reductions were"; }

std::string NameMemory(const RuleInputs&) { return "which memory its accesses go to was"; }

std::string NameLocal(const RuleInputs& inputs) {
  return "it has " + text::Fixed(inputs.kernel->local_bytes_per_thread, 0) +
         " B of local memory per thread, whose traffic was";
}

std::string NameCode(const RuleInputs& inputs) {
  return "its loops have " + text::Count(LoopsBeyondCache(inputs)) +
         " instructions together, and whether warps wait for the instruction cache was";
}

// Beside which verdict.
enum class Place { kBusyMemory, kBusyShared, kWaits };

std::string_view WordsOf(Place place) {
  switch (place) {
    case Place::kBusyMemory:
      return "a unit of memory is busy";
    case Place::kBusyShared:
      return "shared memory is busy";
    case Place::kWaits:
      return "no unit is busy, no stalls and no sectors were read, L2 is used for 1 % or more "
             "(own)";
  }
  return "";
}

struct Suspicion {
  SuspicionRow text;
  Place place;
  bool (*is_likely)(const RuleInputs&);
  std::string (*name)(const RuleInputs&);  // before "not measured"
  format::Needs needs;                     // what would decide
};

constexpr Suspicion kSuspicions[] = {
    {{"coalesce", "sectors were not counted, and PM samples do not show whole lines"},
     Place::kBusyMemory,
     SectorsUnknown,
     NameSectors,
     format::kNeedsMemory},
    {{"remove-spills", "the kernel has local memory that was not counted"},
     Place::kBusyMemory,
     LocalUnknown,
     NameLocal,
     format::kNeedsMemory},
    {{"remove-bank-conflicts", "conflicts are not known"},
     Place::kBusyShared,
     ConflictsUnknown,
     NameConflicts,
     format::kNeedsShared},
    {{"coalesce", "L2 is used for 5 % or more, or DRAM for 1 % or more (own)"},
     Place::kWaits,
     LoadsMayBeLate,
     NameSectors,
     format::kNeedsMemory},
    {{"aggregate-atomics", "the code is not known to have no atomics"},
     Place::kWaits,
     AtomicsMayBeLate,
     NameAtomics,
     format::kNeedsMemory},
    {{"move-to-device",
      "L2 is used for less than 5 % and DRAM for less than 1 % (own: reads and writes of host "
      "memory keep L2 busy for 1.5 % of its peak, atomics on one address for 1.3 %), and PM "
      "samples do not show which memory L2's sectors are of"},
     Place::kWaits,
     LinkMayBeLate,
     NameMemory,
     format::kNeedsMemory},
    {{"remove-spills", "the kernel has local memory that was not counted"},
     Place::kWaits,
     LocalUnknown,
     NameLocal,
     format::kNeedsMemory},
    {{"smaller-loop",
      "the loops of its code have more than 8,192 instructions together: 128 KiB, the instruction "
      "cache of "
      "an SM of Volta (hw, by microbenchmarks; of newer ones no figure is known)"},
     Place::kWaits,
     CodeMayBeLate,
     NameCode,
     format::kNeedsStalls},
};

// The confidence is medium at most: of 53 kernels of the zoo whose unit was clear, 9 had such a
// cause (docs/internals/evaluation.md).
void AddSuspicions(const RuleInputs& inputs, Place place, Verdict* verdict) {
  for (const Suspicion& suspicion : kSuspicions) {
    if (suspicion.place != place || !suspicion.is_likely(inputs)) continue;
    const std::string what = suspicion.name(inputs) + " not measured";
    AddDoubt("waste-unknown", what, verdict);
    verdict->actions.push_back(
        MakeAction(suspicion.text.action, {std::nullopt, what}, WayTo(inputs, suspicion.needs)));
  }
}

}  // namespace

bool LooksBehindLink(const RuleInputs& inputs) {
  const double l2 = inputs.UseOf(Unit::kL2);
  return l2 >= kNoWork && l2 < kLinkOnL2 && inputs.UseOf(Unit::kDram) < kNoWork;
}

void SuspectSectors(const RuleInputs& inputs, Verdict* verdict) {
  AddSuspicions(inputs, Place::kBusyMemory, verdict);
}

void SuspectConflicts(const RuleInputs& inputs, Verdict* verdict) {
  AddSuspicions(inputs, Place::kBusyShared, verdict);
}

void SuspectWaits(const RuleInputs& inputs, Verdict* verdict) {
  const std::string stalls = "warp stall reasons (" + WayTo(inputs, format::kNeedsStalls) + ")";
  const bool of_memory = UsesMemory(inputs) && !KnowsSectors(inputs);
  verdict->missing = of_memory ? SectorsByOperation() + " and " + stalls : stalls;
  verdict->missing += ": what the warps wait for";
  const bool first_sectors = of_memory && LooksBehindLink(inputs);
  verdict->actions.push_back(
      first_sectors
          ? MakeAction("read-sectors", {std::nullopt, "what the sectors show decides"},
                       verdict->missing)
          : MakeAction("read-stalls", {std::nullopt, "what the stall reasons show decides"},
                       verdict->missing));
  if (of_memory) AddSuspicions(inputs, Place::kWaits, verdict);
}

std::vector<SuspicionRow> SuspicionRows() {
  std::vector<SuspicionRow> rows;
  for (const Suspicion& suspicion : kSuspicions) rows.push_back(suspicion.text);
  return rows;
}

std::string SuspicionTable() {
  RuleTable table({"action", "where", "condition (source)"});
  for (const Suspicion& suspicion : kSuspicions) {
    const SuspicionRow& row = suspicion.text;
    table.Add({AsCode(row.action), WordsOf(suspicion.place), row.condition});
  }
  return table.text();
}

}  // namespace prof::analyzer
