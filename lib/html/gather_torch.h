// SPDX-License-Identifier: Apache-2.0
//
// Each op of PyTorch gets the kernels that were launched in it.
#ifndef PROF_LIB_HTML_GATHER_TORCH_H_
#define PROF_LIB_HTML_GATHER_TORCH_H_

#include "lib/analyzer/kernels/kernels.h"
#include "lib/html/timeline_data.h"
#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::html {

// Fills TimelineData::op_kernels. The names of the groups' kernels are in `data` already. Linear in
// operations.
void GatherTorch(const model::Model& model, const Report& report,
                 const analyzer::KernelGroups& groups, TimelineData* data);

}  // namespace prof::html

#endif  // PROF_LIB_HTML_GATHER_TORCH_H_
