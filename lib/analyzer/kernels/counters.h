// SPDX-License-Identifier: Apache-2.0
//
// From counter samples of single launches to the metrics of a signature: which samples count, and
// which values cannot be true.
#ifndef PROF_LIB_ANALYZER_KERNELS_COUNTERS_H_
#define PROF_LIB_ANALYZER_KERNELS_COUNTERS_H_

#include <string>
#include <vector>

#include "lib/analyzer/kernels/kernels.h"
#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

struct CounterNotes {
  // Parallel to the groups: sentences on values that were read and not used.
  std::vector<std::vector<std::string>> of_group;
  // Samples whose kernel's record is missing.
  int64_t without_kernel = 0;
};

// Fills in metrics, samples_used, samples_rejected and the achieved occupancy. A sample is rejected
// when other work ran on the device beside its kernel (counters cannot tell them apart), or when
// the SM clock was not the one of the signature's other samples.
CounterNotes AddCounters(const model::Model& model, KernelGroups* groups);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_KERNELS_COUNTERS_H_
