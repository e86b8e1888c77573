// SPDX-License-Identifier: Apache-2.0
//
// The stage "counted": counter samples of single launches become the metrics of their signature.
#ifndef PROF_LIB_ANALYZER_KERNELS_COUNTERS_H_
#define PROF_LIB_ANALYZER_KERNELS_COUNTERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/analyzer/kernels/kernels.h"
#include "lib/snapshot/model/model.h"
#include "prof/kernel_report.h"

namespace prof::analyzer {

struct CountedKernel {
  Measured counters;
  std::vector<std::string> notes;  // sentences on values that were read and not used
};

struct CountedKernels {
  std::vector<CountedKernel> of_group;  // parallel to the groups
  // Parallel to the groups: the share of the launches outside of counter ranges that ran alone on
  // their device; 1 without any. Empty: there are no samples.
  std::vector<double> alone;
  int64_t without_kernel = 0;  // samples whose kernel's record is missing
};

// A sample is rejected when other work ran on the device beside its kernel (counters cannot tell
// them apart), or when the SM clock was not that of the signature's other samples.
[[nodiscard]] CountedKernels CountKernels(const model::Model& model, const KernelGroups& groups);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_KERNELS_COUNTERS_H_
