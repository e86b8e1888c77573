// SPDX-License-Identifier: Apache-2.0
//
// The memory of PyTorch's tensors in the report: what holds it at its peak, what holds the peak of
// the device, and what was there when a tensor got none.
#ifndef PROF_LIB_ANALYZER_MEMORY_TENSORS_H_
#define PROF_LIB_ANALYZER_MEMORY_TENSORS_H_

#include "lib/analyzer/base/families.h"
#include "lib/analyzer/memory/ledger.h"
#include "lib/snapshot/model/model.h"
#include "prof/memory_report.h"

namespace prof::analyzer {

// Writes MemoryReport::tensors, MemoryReport::tensor_failures, and DeviceMemory::parts of the
// devices that are there. `blocks`: of CUDA's allocations.
void DescribeTensors(const model::Model& model, const RangeFamilies& families, const Ledger& blocks,
                     const Ledger& tensors, MemoryReport* report);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_MEMORY_TENSORS_H_
