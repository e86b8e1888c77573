// SPDX-License-Identifier: Apache-2.0
//
// What the counters of memory accesses and of lanes say about waste: sectors whose bytes are not
// used, local memory, atomics, lanes without work. Notes and causes share it.
#ifndef PROF_LIB_ANALYZER_RULES_RULE_ACCESS_H_
#define PROF_LIB_ANALYZER_RULES_RULE_ACCESS_H_

#include <optional>
#include <string>

#include "lib/analyzer/rules/rule_inputs.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

// Of the sectors that move, the share of bytes that no thread uses.
struct SectorWaste {
  double in_l1 = 0;
  // The uses of a sector add up over its hits in L1: with 13 of 32 bytes used at a time and 74 % of
  // hits all of it is used in the end.
  double below_l1 = 0;
  double at_most = 0;  // as if all hits used the same bytes again
  // The most of what goes on below L1: as if all of the traffic there were of the accesses that
  // waste most, no byte of a hit were another one, and each sector brought kFetchBytes with it.
  double most_below_l1 = 0;
  std::string text;     // "global loads use 4.0 of 32 bytes per sector"
  std::string missing;  // not empty: what would tell how much of it is waste
};

// The sectors of loads and stores were counted.
[[nodiscard]] bool KnowsSectors(const RuleInputs& inputs);

// By counters, or else by PM samples. nullopt: neither was read, no waste, or TMA moved most of the
// bytes, which these metrics do not count.
[[nodiscard]] std::optional<SectorWaste> FindSectorWaste(const RuleInputs& inputs);

// Local sectors of the local and global ones in L1; nullopt: loads and stores of both were not all
// counted, or no access at all. It is no share of what goes on below L1.
[[nodiscard]] std::optional<double> LocalShare(const RuleInputs& inputs);

// Loads of global and local memory were counted, and there are none. cp.async and TMA are not among
// these.
[[nodiscard]] bool LoadsNothing(const RuleInputs& inputs);

// Bytes that the kernel stores in a second, where it does nothing else with memory: no loads, no
// atomics. nullopt: it does, or that was not counted.
[[nodiscard]] std::optional<double> StoreOnlyRate(const RuleInputs& inputs);

// Atomics and reductions of L2's work: by sectors, or else by the use of L2's atomic unit over that
// of L2; 1 where neither was read and it requests nothing else. nullopt: it is not known.
[[nodiscard]] std::optional<double> AtomicShare(const RuleInputs& inputs);

// That share was counted, and does not follow from the code.
[[nodiscard]] bool CountsAtomics(const RuleInputs& inputs);

// The use of L2's atomic unit was counted.
[[nodiscard]] bool KnowsAtomicUnit(const RuleInputs& inputs);

// Lanes that do work, of those that the warps of the block have, 0..1.
[[nodiscard]] std::optional<double> ActiveLanes(const RuleInputs& inputs);
// Whether these leave out the lanes that are predicated off.
[[nodiscard]] bool KnowsPredication(const RuleInputs& inputs);

// PM samples show accesses to whole lines: loads use all that L1 gets, and requests are not
// scattered. Nothing shows the bytes that stores leave out.
[[nodiscard]] bool SampledAsCoalesced(const RuleInputs& inputs);

// Evidence.
void AddConflicts(const RuleInputs& inputs, Verdict* verdict);
void AddAtomics(const RuleInputs& inputs, Verdict* verdict);
void AddLanes(const RuleInputs& inputs, Verdict* verdict);
void AddLocal(const RuleInputs& inputs, Verdict* verdict);
void AddSampledAccess(const RuleInputs& inputs, Verdict* verdict);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_RULE_ACCESS_H_
