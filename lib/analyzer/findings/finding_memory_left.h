// SPDX-License-Identifier: Apache-2.0
//
// A range that repeats leaves memory behind, time after time.
#ifndef PROF_LIB_ANALYZER_FINDINGS_FINDING_MEMORY_LEFT_H_
#define PROF_LIB_ANALYZER_FINDINGS_FINDING_MEMORY_LEFT_H_

#include "lib/analyzer/findings/finding_inputs.h"
#include "lib/analyzer/findings/finding_memory.h"

namespace prof::analyzer {

[[nodiscard]] MaybeFinding MemoryIsLeft(const MemoryInputs& inputs);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_FINDINGS_FINDING_MEMORY_LEFT_H_
