// SPDX-License-Identifier: Apache-2.0
//
// Values of a kernel together with all that ran beside it: for kernels that never run alone, whose
// own part nothing separates.
#ifndef PROF_LIB_ANALYZER_CONTINUOUS_PM_TOGETHER_H_
#define PROF_LIB_ANALYZER_CONTINUOUS_PM_TOGETHER_H_

#include <Eigen/Dense>
#include <cstdint>
#include <vector>

#include "lib/analyzer/continuous/pm_fit.h"

namespace prof::analyzer {

// Of one column, from the samples that it covers for nine tenths or more.
struct PmTogether {
  int64_t samples = 0;
  int64_t launches = 0;              // of it, in these samples
  double seconds = 0;                // of these samples
  int32_t beside = model::kNoIndex;  // the column that ran most in them; kNoIndex: it was alone
  Eigen::ArrayXd means;              // by metric
  Eigen::ArrayXd errors;             // half width of 95 %, by the spread between launches
};

// By column of operations. Linear in rows and operations.
[[nodiscard]] std::vector<PmTogether> MeasureTogether(const PmProblem& problem, int64_t offset_ns);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_PM_TOGETHER_H_
