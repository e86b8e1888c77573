// SPDX-License-Identifier: Apache-2.0
//
// Allocations while they were recorded, by kind, and the peak of each kind and each device. Memory
// that was allocated before the recording began is not included.
#ifndef PROF_LIB_ANALYZER_MEMORY_ALLOCATIONS_H_
#define PROF_LIB_ANALYZER_MEMORY_ALLOCATIONS_H_

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/memory/ledger.h"
#include "lib/snapshot/model/model.h"
#include "prof/memory_report.h"

namespace prof::analyzer {

// Writes MemoryReport::devices and MemoryReport::kinds.
void SummarizeAllocations(const model::Model& model, const RangeFamilies& families,
                          const Ledger& ledger, MemoryReport* report);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_MEMORY_ALLOCATIONS_H_
