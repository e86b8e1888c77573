// SPDX-License-Identifier: Apache-2.0
//
// Unified memory: migrations and page faults of managed memory, by kind and cause.
#ifndef PROF_LIB_ANALYZER_MEMORY_UNIFIED_MEMORY_H_
#define PROF_LIB_ANALYZER_MEMORY_UNIFIED_MEMORY_H_

#include <vector>

#include "lib/snapshot/model/model.h"
#include "prof/memory_report.h"

namespace prof::analyzer {

// By time, descending.
[[nodiscard]] std::vector<UnifiedMemorySummary> SummarizeUnifiedMemory(const model::Model& model);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_MEMORY_UNIFIED_MEMORY_H_
