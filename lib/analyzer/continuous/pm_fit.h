// SPDX-License-Identifier: Apache-2.0
//
// The least-squares fit behind docs/continuous.md: every row of PM samples is the mean of the rates
// of what ran in it, weighted by how long each ran. Unknown: the rate of each column, one of which
// stands for the time in which nothing ran; and the skews of some: by how much their rate is higher
// in the first half of each operation than on average, and lower in the second.
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
  size_t rates = 0;                // columns, the idle one, which is the last, included
  std::vector<int32_t> skew_of;    // by column, of the first ones: the column of its skew
  size_t columns = 0;              // of rates, then of skews

  size_t metrics() const { return rows.metrics.size(); }
  size_t idle_column() const { return rates - 1; }
  double Value(size_t row, size_t m) const { return series.row(row)[rows.metrics[m]]; }
};

// `count` windows with equally many busy rows each, over the part [from, to) of the busy rows
// (fractions of them). Each takes at most `busy_each` busy rows, and the idle ones between them.
std::vector<PmWindow> SpreadWindows(const PmRows& rows, double from, double to, size_t count,
                                    size_t busy_each);

// Sums over rows: of products of columns, of columns with values. A row weighs as many as the
// samples it stands for.
struct NormalEquations {
  Eigen::MatrixXd columns;  // K x K, lower half
  Eigen::MatrixXd values;   // K x M
  Eigen::VectorXd squares;  // M: of the values
  double busy = 0;          // samples in which anything ran

  // Residual sum of squares of each metric at these rates.
  Eigen::VectorXd Residuals(const Eigen::MatrixXd& rates) const;
  // Of the first `count` columns alone.
  NormalEquations First(size_t count) const;
};

// Each window stops where its part of `budget` multiplications is used up: a recording of hours
// needs no more rows than that to settle a rate.
NormalEquations SumRows(const PmProblem& problem, const std::vector<PmWindow>& windows,
                        int64_t offset_ns, double budget);

// Rates without bounds, K x M. Columns that cannot be told apart share theirs.
Eigen::MatrixXd SolveRates(const NormalEquations& sums);

// The same of one metric, with bounds, and what is known of their precision. `penalties`: of the
// skews' squares, the variance of a sample over that of the skew beforehand. Costs the cube of the
// columns.
class PmSolver {
 public:
  PmSolver(const NormalEquations& sums, Eigen::Index metric, const Eigen::VectorXd& penalties);
  Eigen::VectorXd Bounded(double high) const;                  // 0 <= rate <= high, any skew
  const Eigen::MatrixXd& inverse() const { return inverse_; }  // of the sums of products
  // How many unknowns the samples settle: a skew that is left as it was assumed counts as none.
  double unknowns() const { return unknowns_; }
  // How much larger the variance of a rate is than if no other column ran beside it.
  double Inflation(Eigen::Index column) const;
  // The rate that it is hardest to tell from.
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
  Eigen::MatrixXd rates;                 // K x M, within their bounds; behind them the skews
  std::vector<Eigen::MatrixXd> inverse;  // M of K x K
  Eigen::VectorXd variance;              // M: of a sample in which something ran
  std::vector<Eigen::MatrixXd> scatter;  // M of K x windows: what each window moves the rates by
  Eigen::MatrixXd later, earlier;        // of rates alone: what a clock error moves them by
  std::vector<double> seconds;           // K: in the rows that were used
  std::vector<int64_t> samples;          // K
  double quantile = 2;                   // of Student's distribution, for 95 %

  // Of the sum of weights * rates (a column, or several with their shares of time): value, and the
  // half width of its interval without the rounding of the values.
  double Value(const PmWeights& weights, size_t metric) const;
  double Error(const PmWeights& weights, size_t metric) const;
};

// By metric: its solver and its upper bound. Leaves `later` and `earlier` zero.
PmFit FitRates(const PmProblem& problem, const std::vector<PmSolver>& solvers,
               const std::vector<PmWindow>& windows, int64_t offset_ns, double budget,
               const std::vector<double>& high);

}  // namespace prof::analyzer

#endif  // PROF_LIB_ANALYZER_CONTINUOUS_PM_FIT_H_
