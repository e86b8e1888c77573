// SPDX-License-Identifier: Apache-2.0
//
// Floating-point operations of a kernel, by type, from counters of instructions and of the tensor
// cores' operations; and the most of them that the device can execute.
#ifndef PROF_LIB_ANALYZER_KERNELS_FLOPS_H_
#define PROF_LIB_ANALYZER_KERNELS_FLOPS_H_

#include <string>
#include <vector>

#include "lib/snapshot/model/model.h"
#include "prof/report.h"

namespace prof::analyzer {

// A reading above this multiple of the device's peak is a wrong reading, not a fast kernel: the
// peak itself is exact, the clock it is multiplied with was sampled.
constexpr double kPeakTolerance = 1.005;

std::string AbovePeak(const std::string& what, double value, double peak);

// Of each kind that was counted, most operations first. Counters of instructions are exact, but are
// read in launches that have no time: a rate is a count over `kernel.duration_ns`. A rate above the
// peak is left out, and `notes` gets a sentence.
std::vector<FlopCount> CountFlops(const KernelReport& kernel, const model::Device* device,
                                  std::vector<std::string>* notes);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_KERNELS_FLOPS_H_
