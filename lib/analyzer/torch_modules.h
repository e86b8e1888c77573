// SPDX-License-Identifier: Apache-2.0
//
// This file sums up what each torch.nn.Module cost on the host and on the GPU.
#ifndef PROF_LIB_ANALYZER_TORCH_MODULES_H_
#define PROF_LIB_ANALYZER_TORCH_MODULES_H_

#include <vector>

#include "lib/analyzer/kernels/kernels.h"
#include "lib/analyzer/timeline/timeline.h"
#include "lib/snapshot/model/model.h"
#include "prof/torch_report.h"

namespace prof::analyzer {

// Fills TorchReport::modules. `kernels`: by group, decided.
void AddTorchModules(const model::Model& model, const Timeline& timeline,
                     const KernelGroups& groups, const std::vector<KernelReport>& kernels,
                     TorchReport* report);

// Fills KernelReport::torch_modules. `kernels`: by group.
void SetTorchModules(const model::Model& model, const Timeline& timeline,
                     const KernelGroups& groups, std::vector<KernelReport>* kernels);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_TORCH_MODULES_H_
