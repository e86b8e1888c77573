// SPDX-License-Identifier: Apache-2.0
//
// The bound of an action: no unit can do the work that is left in less than the time that it needs
// at its peak. So the units that an action does not relieve are the floor of what it can reach.
#ifndef PROF_LIB_ANALYZER_RULES_RULE_BOUNDS_H_
#define PROF_LIB_ANALYZER_RULES_RULE_BOUNDS_H_

#include <array>
#include <initializer_list>
#include <string>

#include "lib/analyzer/rules/rule_actions.h"
#include "lib/analyzer/rules/rule_inputs.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

// The most that an action takes away from each unit, as a share of the unit's work, 0..1.
struct Relief {
  std::array<double, kUnitCount> share{};
  // True: of L1's metrics only the wavefronts become fewer. It ranks causes; a bound needs the
  // next.
  bool wavefronts_only = false;
  // True: L1's requests stay, and all that they cause in it may become less.
  bool requests_stay = false;

  Relief& Take(std::initializer_list<Unit> units, double part);
  [[nodiscard]] double Of(Unit unit) const { return share[static_cast<size_t>(unit)]; }
};

inline constexpr std::initializer_list<Unit> kMemoryPath = {Unit::kDram, Unit::kL2, Unit::kL1,
                                                            Unit::kShared, Unit::kLsu};
// What the integer work around an access or a loop runs on: index arithmetic is on the ALU, and as
// IMAD on the FMA pipe.
inline constexpr std::initializer_list<Unit> kInstructions = {Unit::kIssue, Unit::kAlu, Unit::kFma};

// All of the work of all units but `kept`.
[[nodiscard]] Relief AllBut(std::initializer_list<Unit> kept);

// What a unit can reach, as a fraction of its peak. Bounds use it. DRAM's is the one of this file,
// or the highest that a calibration of the device measured, where that is more.
[[nodiscard]] double CeilingOf(const RuleInputs& inputs, Unit unit);

// What DRAM is expected to reach with the same reads and writes, as a fraction of its peak: what a
// calibration of the device measured for this mix, or else the constant for bounds. It decides
// which advice is worth the work. It bounds no gain, because some kernels reach more than a
// calibration.
struct ExpectedCeiling {
  double of_peak = 1;
  std::string from;  // in words
};
[[nodiscard]] ExpectedCeiling ExpectedOfDram(const RuleInputs& inputs);

// 1 - the longest time of a unit with its work less the relief, at its ceiling and the same clock.
// Nothing bounds it where no unit was measured.
[[nodiscard]] Bound BoundBy(const RuleInputs& inputs, const Relief& relief);

// The same for less work of an unknown amount: bounded only where a unit that the action leaves
// alone is at 50 % or more.
[[nodiscard]] Bound BoundOfLessWork(const RuleInputs& inputs, const Relief& relief);

// The same work with a warp in each warp slot of the SMs all the time: no warp becomes faster when
// more of them run, so their time adds up to the same. Nothing bounds it where the warps were not
// measured.
[[nodiscard]] Bound BoundByWarpSlots(const RuleInputs& inputs);

// The smallest of several that are known. Nothing bounds it where none is.
[[nodiscard]] Bound LeastOf(std::initializer_list<Bound> bounds);

// The same work by more warps at a time, or spread evenly over all SMs. The unit that limits it may
// be any: nothing is relieved.
[[nodiscard]] Bound BoundOfMoreWarps(const RuleInputs& inputs);

// The same work at the unit's ceiling.
[[nodiscard]] Bound BoundOfSameWork(const RuleInputs& inputs, const UnitUse& use);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_RULE_BOUNDS_H_
