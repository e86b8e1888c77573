// SPDX-License-Identifier: Apache-2.0
//
// Whether memory grows from step to step, how fast, and which ranges hold what was added. Each
// device's own memory, pinned and managed memory grow on their own.
#ifndef PROF_LIB_ANALYZER_MEMORY_GROWTH_H_
#define PROF_LIB_ANALYZER_MEMORY_GROWTH_H_

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/memory/ledger.h"
#include "lib/analyzer/timeline/iterations.h"
#include "lib/snapshot/model/model.h"
#include "prof/memory_report.h"

namespace prof::analyzer {

// What a ledger is of.
enum class LedgerOf : uint8_t { kBlocks, kTensors };

// Adds to MemoryReport::growth, and writes MemoryReport::growth_missing.
void FindGrowth(const model::Model& model, const RangeFamilies& families, const Ledger& ledger,
                LedgerOf of, const Iterations& steps, MemoryReport* report);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_MEMORY_GROWTH_H_
