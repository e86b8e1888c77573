// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/memory/memory.h"

#include "lib/analyzer/base/integrity.h"
#include "lib/analyzer/memory/allocations.h"
#include "lib/analyzer/memory/failures.h"
#include "lib/analyzer/memory/growth.h"
#include "lib/analyzer/memory/ledger.h"
#include "lib/analyzer/memory/left.h"
#include "lib/analyzer/memory/pools.h"
#include "lib/analyzer/memory/tensors.h"
#include "lib/analyzer/memory/unified_memory.h"

namespace prof::analyzer {

MemoryReport DescribeMemory(const model::Model& model, const RangeFamilies& families,
                            const Iterations& iterations) {
  const Ledger ledger = BuildLedger(model, families);
  MemoryReport report;
  SummarizeAllocations(model, families, ledger, &report);
  report.pools = SummarizePools(model);
  report.ranges = SummarizeRanges(model, families, ledger);
  FindGrowth(model, families, ledger, LedgerOf::kBlocks, iterations, &report);
  int64_t tensors_frees_missing = 0;
  if (model.tensors.recorded()) {
    const Ledger tensors = BuildTensorLedger(model, families);
    DescribeTensors(model, families, ledger, tensors, &report);
    tensors_frees_missing = tensors.frees_missing;
    // PyTorch's own scopes tell more than launches.
    const bool ranges = !iterations.empty() && !iterations.by_launches();
    const Iterations torch = ranges ? Iterations() : FindTorchIterations(model, families);
    FindGrowth(model, families, tensors, LedgerOf::kTensors, torch.empty() ? iterations : torch,
               &report);
  }
  report.failures = FindFailures(model, families, ledger);
  report.frees_missing = ledger.frees_missing + tensors_frees_missing;
  report.records_lost = RecordsLost(model);
  report.unified = SummarizeUnifiedMemory(model);
  return report;
}

}  // namespace prof::analyzer
