// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/rules/rule_suspicions.h"

#include <algorithm>
#include <optional>

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

void SuspectSpills(const RuleInputs& inputs, Verdict* verdict) {
  const bool local = inputs.kernel != nullptr && inputs.kernel->local_bytes_per_thread > 0;
  if (!local || LocalShare(inputs) || HasNoLocalAccess(inputs)) return;
  AddSuspicion("remove-spills",
               "it has " + text::Fixed(inputs.kernel->local_bytes_per_thread, 0) +
                   " B of local memory per thread, whose traffic was",
               WayTo(inputs, format::kNeedsMemory), verdict);
}

void SuspectAtomics(const RuleInputs& inputs, Verdict* verdict) {
  if (HasNoAtomics(inputs)) return;
  AddSuspicion("aggregate-atomics", "atomics and reductions were",
               WayTo(inputs, format::kNeedsMemory), verdict);
}

void SuspectMemory(const RuleInputs& inputs, Verdict* verdict) {
  const std::string way = WayTo(inputs, format::kNeedsMemory);
  if (LooksBehindLink(inputs)) {
    SuspectAtomics(inputs, verdict);
    if (!inputs.sampled.other_memory) {
      AddSuspicion("move-to-device", "which memory its accesses go to was", way, verdict);
    }
  } else {
    AddSuspicion("coalesce", "whether all bytes of the sectors are used was", way, verdict);
    SuspectAtomics(inputs, verdict);
  }
  SuspectSpills(inputs, verdict);
}

}  // namespace

bool LooksBehindLink(const RuleInputs& inputs) {
  const double l2 = inputs.UseOf(Unit::kL2);
  return l2 >= kNoWork && l2 < kLinkOnL2 && inputs.UseOf(Unit::kDram) < kNoWork;
}

void AddSuspicion(std::string_view id, const std::string& what, const std::string& way,
                  Verdict* verdict) {
  AddDoubt("waste-unknown", what + " not measured", verdict);
  verdict->actions.push_back(MakeAction(id, {std::nullopt, what + " not measured"}, way));
}

void SuspectSectors(const RuleInputs& inputs, Verdict* verdict) {
  if (!KnowsSectors(inputs) && !SampledAsCoalesced(inputs)) {
    AddSuspicion("coalesce", "whether all bytes of the sectors are used was",
                 WayTo(inputs, format::kNeedsMemory), verdict);
  }
  SuspectSpills(inputs, verdict);
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
  if (of_memory) SuspectMemory(inputs, verdict);
}

}  // namespace prof::analyzer
