// SPDX-License-Identifier: Apache-2.0
//
// The least-squares fit of docs/internals/continuous.md. Every row of PM samples is the mean of the
// rates of the columns that ran in it, weighted by how long each ran. The unknowns are the rate of
// each column, one of which is idle time, and the skews of some: a skew is by how much the rate is
// higher in the first half of each operation than on average, and lower in the second.
#ifndef PROF_LIB_ANALYZER_CONTINUOUS_PM_FIT_H_
#define PROF_LIB_ANALYZER_CONTINUOUS_PM_FIT_H_

#include <Eigen/Dense>
#include <cstdint>
#include <utility>
#include <vector>

#include "lib/analyzer/continuous/pm_sweep.h"
#include "lib/analyzer/continuous/pm_work.h"
#include "lib/snapshot/model/model.h"

namespace prof::analyzer {

// Rows [first, last) of a series.
struct PmWindow {
  size_t first = 0, last = 0;
};

struct PmProblem {
  const model::PmSeries& series;
  const PmWork& work;
  const PmRows& rows;
  std::vector<int32_t> column_of;  // by entity
  size_t rates = 0;                // columns, with the idle one, which is the last
  std::vector<int32_t> skew_of;    // by column, for the first ones: the column of its skew
  size_t columns = 0;              // of rates, then of skews

  size_t metrics() const { return rows.metrics.size(); }
  size_t idle_column() const { return rates - 1; }
  double Value(size_t row, size_t m) const { return series.row(row)[rows.metrics[m]]; }
};

// `count` windows with equally many busy rows each, over the part [from, to) of the busy rows
// (fractions of them). Each takes at most `busy_each` busy rows, and the idle ones between them.
[[nodiscard]] std::vector<PmWindow> SpreadWindows(const PmRows& rows, double from, double to,
                                                  size_t count, size_t busy_each);

// Sums over rows: of products of columns, of columns with values. The weight of a row is its number
// of samples.
struct NormalEquations {
  Eigen::MatrixXd columns;  // K x K, lower half
  Eigen::MatrixXd values;   // K x M
  Eigen::VectorXd squares;  // M: sums of the squared values
  double busy = 0;          // samples in which anything ran

  // Residual sum of squares of each metric at these rates.
  Eigen::VectorXd Residuals(const Eigen::MatrixXd& rates) const;
  // The sums of the first `count` columns alone.
  NormalEquations First(size_t count) const;
};

// Each window stops where its part of `budget` multiplications is used up: a recording of hours
// needs no more rows than that to settle a rate.
[[nodiscard]] NormalEquations SumRows(const PmProblem& problem,
                                      const std::vector<PmWindow>& windows, int64_t offset_ns,
                                      double budget);

// Rates without bounds, K x M. Columns that cannot be separated have the same rate.
Eigen::MatrixXd SolveRates(const NormalEquations& sums);

// The rates of one metric, with bounds, and their precision. `penalties` are factors of the skews'
// squares: the variance of a sample over the variance that is expected of the skew. Costs the cube
// of the columns.
class PmSolver {
 public:
  PmSolver(const NormalEquations& sums, Eigen::Index metric, const Eigen::VectorXd& penalties);
  Eigen::VectorXd Bounded(double high) const;                  // 0 <= rate <= high, any skew
  const Eigen::MatrixXd& inverse() const { return inverse_; }  // of the matrix of products
  // How many unknowns the samples determine: a skew that stays as assumed counts as none.
  double unknowns() const { return unknowns_; }
  // The factor by which other columns that ran beside it increase the variance of a rate.
  double Inflation(Eigen::Index column) const;
  // The column that is hardest to separate from it.
  Eigen::Index Nearest(Eigen::Index column) const;

 private:
  Eigen::Index rates_ = 0;
  double unknowns_ = 0;
  Eigen::VectorXd values_, squares_;  // sums: of columns with the metric, of their squares
  Eigen::VectorXd scale_;             // 1 / sqrt of the diagonal
  Eigen::MatrixXd scaled_;            // unit diagonal, and a trace of ridge
  Eigen::MatrixXd inverse_;
};

// Columns with their weights.
using PmWeights = std::vector<std::pair<Eigen::Index, double>>;

struct PmFit {
  Eigen::MatrixXd rates;                 // K x M, within their bounds; then the skews
  std::vector<Eigen::MatrixXd> inverse;  // M of K x K
  Eigen::VectorXd variance;              // M: variance of a sample in which something ran
  std::vector<Eigen::MatrixXd>
      scatter;                     // M of K x windows: by how much each window moves the rates
  Eigen::MatrixXd later, earlier;  // rates only: by how much a clock error moves them
  std::vector<double> seconds;     // K: in the rows that were used
  std::vector<int64_t> samples;    // K
  double quantile = 2;             // of Student's distribution, for 95 %

  // The sum of weights * rates (a column, or several with their shares of time): its value, and the
  // half width of its interval without the rounding of the values.
  double Value(const PmWeights& weights, size_t metric) const;
  double Error(const PmWeights& weights, size_t metric) const;
};

// `solvers` and `high` (the upper bounds) are by metric. Leaves `later` and `earlier` zero.
[[nodiscard]] PmFit FitRates(const PmProblem& problem, const std::vector<PmSolver>& solvers,
                             const std::vector<PmWindow>& windows, int64_t offset_ns, double budget,
                             const std::vector<double>& high);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_PM_FIT_H_
