// SPDX-License-Identifier: Apache-2.0
//
// What chance does to the rate of one column, by the rows in which it ran. Samples of one launch
// are not independent, and launches differ: so the launches are the units that scatter.
#ifndef PROF_LIB_ANALYZER_CONTINUOUS_PM_CHANCE_H_
#define PROF_LIB_ANALYZER_CONTINUOUS_PM_CHANCE_H_

#include <Eigen/Dense>
#include <cstdint>
#include <vector>

#include "lib/analyzer/base/quantiles.h"
#include "lib/analyzer/continuous/pm_fit.h"
#include "lib/analyzer/continuous/pm_sweep.h"

namespace prof::analyzer {

class PmChance {
 public:
  // Keeps references to its arguments.
  PmChance(const PmProblem& problem, const Eigen::MatrixXd& inverse);

  // A row with its residuals, of each metric. Counts launches and direct samples in `fit`. Rows
  // come in order of time.
  void Add(const PmRow& row, const std::vector<int32_t>& columns, const std::vector<double>& shares,
           double weight, const Eigen::VectorXd& residuals, PmFit* fit);
  // K x M: half width of 95 % of each rate.
  [[nodiscard]] Eigen::MatrixXd Finish(const PmSolver& solver);

 private:
  // Of one column of operations; vectors are by metric.
  struct Column {
    int32_t launch = model::kNoIndex;  // the last one that was seen
    int64_t rows = 0;                  // with it
    int64_t clusters = 0;
    Eigen::ArrayXd sum;      // over the rows of this cluster: by how much they move the rate
    Eigen::ArrayXd squares;  // over the clusters before
    Eigen::ArrayXd noise;    // sum of the squared residuals, by share
    double shares = 0, all_shares = 0;
  };
  void Close(Column* column);

  const PmProblem& problem_;
  const Eigen::MatrixXd& inverse_;
  std::vector<int64_t> cluster_rows_;  // by column: a cluster has at most so many rows
  std::vector<Column> columns_;
};

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_PM_CHANCE_H_
