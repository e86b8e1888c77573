// SPDX-License-Identifier: Apache-2.0
//
// A pool took more from its device while much of it lay unused.
#ifndef PROF_LIB_ANALYZER_FINDINGS_FINDING_MEMORY_POOL_H_
#define PROF_LIB_ANALYZER_FINDINGS_FINDING_MEMORY_POOL_H_

#include "lib/analyzer/findings/finding_inputs.h"
#include "lib/analyzer/findings/finding_memory.h"

namespace prof::analyzer {

[[nodiscard]] MaybeFinding PoolLiesUnused(const MemoryInputs& inputs);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_FINDINGS_FINDING_MEMORY_POOL_H_
