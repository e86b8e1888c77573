// SPDX-License-Identifier: Apache-2.0
//
// What is allocated grows from step to step.
#ifndef PROF_LIB_ANALYZER_FINDINGS_FINDING_MEMORY_GROWTH_H_
#define PROF_LIB_ANALYZER_FINDINGS_FINDING_MEMORY_GROWTH_H_

#include "lib/analyzer/findings/finding_inputs.h"
#include "lib/analyzer/findings/finding_memory.h"

namespace prof::analyzer {

[[nodiscard]] MaybeFinding MemoryGrows(const MemoryInputs& inputs);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_FINDINGS_FINDING_MEMORY_GROWTH_H_
