// SPDX-License-Identifier: Apache-2.0
//
// Values of a kernel from launches that samples cover from the begin to the end: what a launch does
// in its course is no chance then, as all of it was seen.
#ifndef PROF_LIB_ANALYZER_CONTINUOUS_PM_WHOLE_H_
#define PROF_LIB_ANALYZER_CONTINUOUS_PM_WHOLE_H_

#include <Eigen/Dense>
#include <cstdint>
#include <vector>

#include "lib/analyzer/continuous/pm_fit.h"

namespace prof::analyzer {

// Of one column. The launches of a burst (samples without a hole between them) follow each other
// and may be alike, so bursts are the units that scatter.
struct PmWhole {
  int64_t launches = 0, bursts = 0;
  int64_t samples = 0, direct = 0;  // direct: within a launch
  double seconds = 0;               // of these launches
  Eigen::ArrayXd means;             // by metric
  // Half widths of 95 %: by the spread between bursts, and by what other work in the first and in
  // the last sample of a launch may differ from its rate.
  Eigen::ArrayXd chance, assumed;
};

// By column of operations, for launches of kLeastWholeSamples samples or more. `rates` are those of
// the fit, for what else ran in these two samples; `expected`: columns x metrics, the standard
// deviation that is expected of that. Linear in rows, and in the operations within bursts.
constexpr double kLeastWholeSamples = 4;
[[nodiscard]] std::vector<PmWhole> MeasureWhole(const PmProblem& problem, int64_t offset_ns,
                                                const Eigen::MatrixXd& rates,
                                                const Eigen::MatrixXd& expected);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_PM_WHOLE_H_
