// SPDX-License-Identifier: Apache-2.0
//
// What tensors of PyTorch are used for. Python names some of them (TensorUse); for the others it is
// a conclusion from where they were allocated and where they were freed.
#ifndef PROF_LIB_ANALYZER_MEMORY_TENSOR_ROLES_H_
#define PROF_LIB_ANALYZER_MEMORY_TENSOR_ROLES_H_

#include <vector>

#include "lib/analyzer/memory/ledger.h"
#include "lib/snapshot/model/model.h"
#include "prof/memory_report.h"

namespace prof::analyzer {

// By index of Ledger::blocks. `tensors`: BuildTensorLedger(). n log n in the blocks, the uses and
// the instances of ops.
[[nodiscard]] std::vector<TensorRole> FindTensorRoles(const model::Model& model,
                                                      const Ledger& tensors);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_MEMORY_TENSOR_ROLES_H_
