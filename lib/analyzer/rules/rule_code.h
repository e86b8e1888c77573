// SPDX-License-Identifier: Apache-2.0
//
// What the machine code of a kernel says where no counter was read: which accesses it makes at all,
// and which of them stand in its loops.
#ifndef PROF_LIB_ANALYZER_RULES_RULE_CODE_H_
#define PROF_LIB_ANALYZER_RULES_RULE_CODE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "lib/analyzer/rules/rule_inputs.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

// No instruction that could be of the kind is in the code, so none is executed.
[[nodiscard]] bool HasNoAtomics(const RuleInputs& inputs);
[[nodiscard]] bool HasNoLocalAccess(const RuleInputs& inputs);

// Of the instructions that access global or local memory, in the loops where there are such, the
// share that are of local memory, 0..1. How often each one is executed is not known: a path that is
// hardly taken has them, too. nullopt: the code was not seen in full, has no access at all, or
// moves bytes by TMA, whose one instruction stands for many.
[[nodiscard]] std::optional<double> LocalAccessInCode(const RuleInputs& inputs);

// The same of what L1 did, by PM samples: at least that share, 0..1, where no loop of the code
// accesses global memory. What stands outside of loops each warp executes once at most, and its 32
// lanes make 32 wavefronts at most. nullopt: a loop does, or the wavefronts, the clock or the code
// are not known.
[[nodiscard]] std::optional<double> LeastLocalOnL1(const RuleInputs& inputs);

// As LocalAccessInCode, of atomics and reductions on global memory, in loops alone: in front of
// them and behind, one thread of a block often does what the code seems to do for all. nullopt,
// too: nothing else shows that they run. PM samples do, where the requests to L2 have fewer sectors
// than loads and stores of whole lines, or are so few that L2 idles; a kernel with atomics on
// shared memory may have collected there first.
[[nodiscard]] std::optional<double> AtomicsInCode(const RuleInputs& inputs);

// Its code accesses memory by atomics and reductions alone, and PM samples saw requests to L2.
[[nodiscard]] bool RequestsAtomicsAlone(const RuleInputs& inputs);

// "4 of the 5 instructions in its loops that access memory are atomics"
[[nodiscard]] std::string DescribeAtomicsInCode(const RuleInputs& inputs);
[[nodiscard]] std::string DescribeLocalAccessInCode(const RuleInputs& inputs);

// How many instructions its loops have, where they do not fit into the instruction cache; else 0.
[[nodiscard]] int64_t LoopsBeyondCache(const RuleInputs& inputs);

// wgmma exists on this generation alone.
[[nodiscard]] bool IsHopper(const RuleInputs& inputs);
// wgmma is in the code.
[[nodiscard]] bool HasGroupMatrices(const RuleInputs& inputs);
// Its matrix operations, in 8 to 32 bits, are all mma.sync.
[[nodiscard]] bool HasWarpMatricesAlone(const RuleInputs& inputs);
// What the tensor pipe can reach with its matrix operations, of its peak.
[[nodiscard]] double TensorCeiling(const RuleInputs& inputs);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_RULE_CODE_H_
