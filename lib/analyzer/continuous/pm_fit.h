// SPDX-License-Identifier: Apache-2.0
//
// The least-squares fit of docs/internals/continuous.md. Every row of PM samples is the mean of the
// rates of the columns that ran in it, weighted by how long each ran. The unknowns are the rate of
// each column, one of which is idle time, and contrasts of some: by how much the rate in one part
// of each operation is above its mean.
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
  std::vector<int32_t> column_of;      // by entity
  size_t rates = 0;                    // columns, with the idle one, which is the last
  std::vector<PmContrasts> contrasts;  // by column, for the first ones
  size_t columns = 0;                  // of rates, then of contrasts

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

// Residual sums of squares at these rates: windows x M, of the rows in which anything ran.
[[nodiscard]] Eigen::MatrixXd WindowResiduals(const PmProblem& problem,
                                              const std::vector<PmWindow>& windows,
                                              int64_t offset_ns, const Eigen::MatrixXd& rates);

// Rates without bounds, K x M. Columns that cannot be separated have the same rate.
Eigen::MatrixXd SolveRates(const NormalEquations& sums);

// The equations of all metrics, solved at once. `penalties` are factors of the contrasts' squares:
// the variance of a sample over the variance that is expected of the contrast. Costs the cube of
// the columns, once for all metrics.
class PmSolver {
 public:
  PmSolver(const NormalEquations& sums, const Eigen::VectorXd& penalties);
  // Rates of one metric between 0 and `high`, and its contrasts. A rate outside by less than chance
  // (`deviation`: of a sample) is set to the bound; where one is further outside, all others are
  // fitted again: the cube of the columns.
  Eigen::VectorXd Bounded(Eigen::Index metric, double high, double deviation) const;
  const Eigen::MatrixXd& inverse() const { return inverse_; }  // of the matrix of products
  const Eigen::VectorXd& penalties() const { return penalties_; }
  Eigen::Index rates() const { return rates_; }
  // How many unknowns the samples determine: a contrast that stays as assumed counts as none.
  double unknowns() const { return unknowns_; }
  // The factor by which other columns that ran beside it increase the variance of a rate.
  double Inflation(Eigen::Index column) const;
  // The column that is hardest to separate from it.
  Eigen::Index Nearest(Eigen::Index column) const;
  // How much the estimates of two columns depend on each other, 0..1.
  double Partial(Eigen::Index a, Eigen::Index b) const;

 private:
  Eigen::Index rates_ = 0;
  double unknowns_ = 0;
  Eigen::VectorXd penalties_;
  Eigen::MatrixXd values_;   // sums of columns with metrics
  Eigen::VectorXd squares_;  // sums of the columns' squares
  Eigen::VectorXd scale_;    // 1 / sqrt of the diagonal
  Eigen::MatrixXd scaled_;   // unit diagonal, and a trace of ridge
  Eigen::MatrixXd inverse_;
};

// Columns with their weights.
using PmWeights = std::vector<std::pair<Eigen::Index, double>>;

struct PmFit {
  Eigen::MatrixXd rates;     // K x M, within their bounds; then the contrasts
  Eigen::MatrixXd inverse;   // K x K
  Eigen::VectorXd variance;  // M: variance of a sample in which something ran
  std::vector<Eigen::MatrixXd>
      scatter;               // M of K x windows: by how much each window moves the rates
  Eigen::MatrixXd chance;    // K x M: half width of 95 % of a rate, by its own rows
  Eigen::MatrixXd pulls;     // K x contrasts: how an error of what is expected of them moves it
  Eigen::MatrixXd expected;  // contrasts x M: standard deviations that are expected
  Eigen::MatrixXd later, earlier;  // rates only: by how much a clock error moves them
  std::vector<double> seconds;     // K: in the rows that were used
  std::vector<int64_t> samples;    // K: in which it ran
  std::vector<int64_t> direct;     // K: that lie within one operation of it
  std::vector<int64_t> launches;   // K: operations in the rows that were used
  double quantile = 2;             // of Student's distribution, for 95 %

  // The sum of weights * rates (a column, or several with their shares of time): its value, and the
  // half width of its interval without the rounding of the values.
  double Value(const PmWeights& weights, size_t metric) const;
  double Error(const PmWeights& weights, size_t metric) const;
};

// `high` (the upper bounds) are by metric, `deviations` of a sample too. Leaves `later`, `earlier`
// and `expected` zero.
[[nodiscard]] PmFit FitRates(const PmProblem& problem, const PmSolver& solver,
                             const std::vector<PmWindow>& windows, int64_t offset_ns, double budget,
                             const std::vector<double>& high, const Eigen::VectorXd& deviations);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_PM_FIT_H_
