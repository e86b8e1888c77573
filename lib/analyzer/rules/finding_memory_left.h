// SPDX-License-Identifier: Apache-2.0
//
// A range that repeats leaves memory behind, time after time.
#ifndef PROF_LIB_ANALYZER_RULES_FINDING_MEMORY_LEFT_H_
#define PROF_LIB_ANALYZER_RULES_FINDING_MEMORY_LEFT_H_

#include "lib/analyzer/rules/finding_inputs.h"
#include "lib/analyzer/rules/finding_memory.h"

namespace prof::analyzer {

[[nodiscard]] MaybeFinding MemoryIsLeft(const MemoryInputs& inputs);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_RULES_FINDING_MEMORY_LEFT_H_
