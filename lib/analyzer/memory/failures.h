// SPDX-License-Identifier: Apache-2.0
//
// Calls that failed for lack of memory, with the ledger at that moment.
#ifndef PROF_LIB_ANALYZER_MEMORY_FAILURES_H_
#define PROF_LIB_ANALYZER_MEMORY_FAILURES_H_

#include <vector>

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/memory/ledger.h"
#include "lib/snapshot/model/model.h"
#include "prof/memory_report.h"

namespace prof::analyzer {

// By time; 20 at most, one for each function and range.
[[nodiscard]] std::vector<AllocationFailure> FindFailures(const model::Model& model,
                                                          const RangeFamilies& families,
                                                          const Ledger& ledger);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_MEMORY_FAILURES_H_
