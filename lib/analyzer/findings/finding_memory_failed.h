// SPDX-License-Identifier: Apache-2.0
//
// Calls failed for lack of memory.
#ifndef PROF_LIB_ANALYZER_FINDINGS_FINDING_MEMORY_FAILED_H_
#define PROF_LIB_ANALYZER_FINDINGS_FINDING_MEMORY_FAILED_H_

#include "lib/analyzer/findings/finding_inputs.h"
#include "lib/analyzer/findings/finding_memory.h"

namespace prof::analyzer {

[[nodiscard]] MaybeFinding OutOfMemory(const MemoryInputs& inputs);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_FINDINGS_FINDING_MEMORY_FAILED_H_
