// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/pm_fit.h"

#include <algorithm>
#include <cmath>

namespace prof::analyzer {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// On a unit diagonal: far below any measurement, far above the rounding of a double.
constexpr double kRidge = 1e-8;

// The scale that makes the diagonal of the matrix of products one.
VectorXd UnitScale(const NormalEquations& sums) {
  return sums.columns.diagonal().unaryExpr(
      [](double square) { return square > 0 ? 1 / std::sqrt(square) : 1.0; });
}

MatrixXd Scaled(const NormalEquations& sums, const VectorXd& scale) {
  MatrixXd scaled = scale.asDiagonal() * MatrixXd(sums.columns.selfadjointView<Eigen::Lower>()) *
                    scale.asDiagonal();
  scaled.diagonal().array() += kRidge;
  return scaled;
}

// Calls visit(window number, row, shares of the row by column with the idle one, weight) for the
// rows of all windows that may be used.
template <typename Visit>
void ForRows(const PmProblem& problem, const std::vector<PmWindow>& windows, int64_t offset_ns,
             double budget, Visit visit) {
  PmSweep sweep(problem.work, problem.series, problem.column_of, problem.skew_of, problem.columns,
                offset_ns);
  std::vector<int32_t> columns;
  std::vector<double> shares;
  const double budget_each = budget / static_cast<double>(std::max<size_t>(windows.size(), 1));
  for (size_t w = 0; w < windows.size(); ++w) {
    double spent = 0;
    sweep.Run(windows[w].first, windows[w].last, [&](const PmRow& row) {
      const RowUse use = problem.rows.use[row.row];
      if (use == RowUse::kSkip || use == RowUse::kConcurrent || spent > budget_each) return;
      columns = row.columns;
      shares = row.ns;
      if (row.idle_ns > 0) {
        columns.push_back(static_cast<int32_t>(problem.idle_column()));
        shares.push_back(row.idle_ns);
      }
      for (double& share : shares) share /= row.length_ns;
      const auto n = static_cast<double>(columns.size());
      spent += n * (n + static_cast<double>(problem.metrics()));
      visit(w, row, columns, shares, static_cast<double>(problem.series.samples[row.row]));
    });
  }
}

}  // namespace

std::vector<PmWindow> SpreadWindows(const PmRows& rows, double from, double to, size_t count,
                                    size_t busy_each) {
  const auto busy =
      static_cast<double>(std::count(rows.use.begin(), rows.use.end(), RowUse::kBusy));
  const auto first = static_cast<size_t>(from * busy), last = static_cast<size_t>(to * busy);
  std::vector<PmWindow> windows;
  if (last <= first || count == 0) return windows;
  count = std::min(count, last - first);
  const auto begin_of = [&](size_t w) { return first + (last - first) * w / count; };
  size_t ordinal = 0;  // of the next busy row
  for (size_t row = 0; row < rows.use.size(); ++row) {
    const bool is_busy = rows.use[row] == RowUse::kBusy;
    if (is_busy && ordinal == last) break;
    // The first window also takes the idle rows before it when it covers all rows.
    const bool opens = windows.size() < count && ordinal == begin_of(windows.size());
    if (opens && (is_busy || windows.empty())) windows.push_back({row, row});
    if (!windows.empty() && ordinal < begin_of(windows.size() - 1) + busy_each) {
      windows.back().last = row + 1;
    }
    ordinal += is_busy ? 1 : 0;
  }
  return windows;
}

VectorXd NormalEquations::Residuals(const MatrixXd& rates) const {
  const MatrixXd products = columns.selfadjointView<Eigen::Lower>() * rates;
  return (squares.transpose() + (rates.cwiseProduct(products - 2 * values)).colwise().sum())
      .cwiseMax(0)
      .transpose();
}

NormalEquations SumRows(const PmProblem& problem, const std::vector<PmWindow>& windows,
                        int64_t offset_ns, double budget) {
  const auto k = static_cast<Index>(problem.columns);
  const auto metrics = static_cast<Index>(problem.metrics());
  NormalEquations sums{MatrixXd::Zero(k, k), MatrixXd::Zero(k, metrics), VectorXd::Zero(metrics)};
  ForRows(problem, windows, offset_ns, budget,
          [&](size_t, const PmRow& row, const std::vector<int32_t>& columns,
              const std::vector<double>& shares, double weight) {
            for (size_t i = 0; i < columns.size(); ++i) {
              const double share = weight * shares[i];
              for (size_t j = 0; j < columns.size(); ++j) {
                if (columns[j] <= columns[i]) {
                  sums.columns(columns[i], columns[j]) += share * shares[j];
                }
              }
              for (Index m = 0; m < metrics; ++m) {
                sums.values(columns[i], m) +=
                    share * problem.Value(row.row, static_cast<size_t>(m));
              }
            }
            for (Index m = 0; m < metrics; ++m) {
              const double value = problem.Value(row.row, static_cast<size_t>(m));
              sums.squares(m) += weight * value * value;
            }
            if (!row.columns.empty()) sums.busy += weight;
          });
  return sums;
}

MatrixXd SolveRates(const NormalEquations& sums) {
  const VectorXd scale = UnitScale(sums);
  return scale.asDiagonal() *
         Scaled(sums, scale).ldlt().solve(MatrixXd(scale.asDiagonal() * sums.values));
}

NormalEquations NormalEquations::First(size_t count) const {
  const auto k = static_cast<Index>(count);
  return {columns.topLeftCorner(k, k), values.topRows(k), squares, busy};
}

PmSolver::PmSolver(const NormalEquations& sums, Index metric, const VectorXd& penalties)
    : rates_(sums.columns.rows() - penalties.size()),
      values_(sums.values.col(metric)),
      squares_(sums.columns.diagonal()) {
  NormalEquations penalized = sums;
  penalized.columns.diagonal().tail(penalties.size()) += penalties;
  scale_ = UnitScale(penalized);
  scaled_ = Scaled(penalized, scale_);
  const Index k = scaled_.rows();
  inverse_ =
      scale_.asDiagonal() * scaled_.ldlt().solve(MatrixXd::Identity(k, k)) * scale_.asDiagonal();
  unknowns_ = static_cast<double>(k) - penalties.dot(inverse_.diagonal().tail(penalties.size()));
}

// Block principal pivoting: all columns at a bound leave the equations at once, and a column comes
// back when its gradient has the other sign. One column at a time where that does not converge.
VectorXd PmSolver::Bounded(double high) const {
  const Index k = scaled_.rows();
  const VectorXd target = scale_.asDiagonal() * values_;
  const VectorXd most = high * scale_.cwiseInverse();  // rates are scale * x
  VectorXd x = VectorXd::Zero(k);
  std::vector<int> bound(static_cast<size_t>(k), 0);  // -1: at 0, +1: at `most`
  Index fewest = k + 1;
  int patience = 3;
  for (int round = 0; round < 100; ++round) {
    std::vector<Index> free;
    VectorXd rest = target;
    for (Index i = 0; i < k; ++i) {
      const int at = bound[static_cast<size_t>(i)];
      if (at == 0) free.push_back(i);
      x(i) = at > 0 ? most(i) : 0;
      if (at > 0) rest -= most(i) * scaled_.col(i);
    }
    const MatrixXd equations = scaled_(free, free);
    const VectorXd solved = equations.ldlt().solve(VectorXd(rest(free)));
    for (size_t i = 0; i < free.size(); ++i) x(free[i]) = solved(static_cast<Index>(i));

    const VectorXd gradient = target - scaled_ * x;
    const double tolerance = 1e-9 * (1 + target.cwiseAbs().maxCoeff());
    std::vector<std::pair<Index, int>> wrong;  // column, what it changes to
    for (Index i = 0; i < rates_; ++i) {
      const int at = bound[static_cast<size_t>(i)];
      if (at == 0 && x(i) < -tolerance) wrong.emplace_back(i, -1);
      if (at == 0 && x(i) > most(i) + tolerance) wrong.emplace_back(i, 1);
      if ((at < 0 && gradient(i) > tolerance) || (at > 0 && gradient(i) < -tolerance)) {
        wrong.emplace_back(i, 0);
      }
    }
    if (wrong.empty()) break;
    if (static_cast<Index>(wrong.size()) < fewest) {
      fewest = static_cast<Index>(wrong.size());
      patience = 3;
    } else if (--patience < 0) {
      wrong = {wrong.back()};
    }
    for (const auto& [column, to] : wrong) bound[static_cast<size_t>(column)] = to;
  }
  VectorXd found = scale_.asDiagonal() * x;
  found.head(rates_) = found.head(rates_).cwiseMax(0).cwiseMin(high);
  return found;
}

double PmSolver::Inflation(Index column) const {
  return squares_(column) > 0 ? inverse_(column, column) * squares_(column) : HUGE_VAL;
}

Index PmSolver::Nearest(Index column) const {
  Index nearest = column;
  double most = 0;
  for (Index other = 0; other < rates_; ++other) {
    if (other == column) continue;
    const double partial = std::abs(inverse_(column, other)) /
                           std::sqrt(inverse_(column, column) * inverse_(other, other));
    if (partial <= most) continue;
    most = partial;
    nearest = other;
  }
  return nearest;
}

PmFit FitRates(const PmProblem& problem, const std::vector<PmSolver>& solvers,
               const std::vector<PmWindow>& windows, int64_t offset_ns, double budget,
               const std::vector<double>& high) {
  const auto k = static_cast<Index>(problem.columns);
  const auto metrics = static_cast<Index>(problem.metrics());
  const auto count = static_cast<Index>(windows.size());
  PmFit fit;
  fit.rates.resize(k, metrics);
  for (Index m = 0; m < metrics; ++m) {
    const auto at = static_cast<size_t>(m);
    fit.rates.col(m) = solvers[at].Bounded(high[at]);
    fit.inverse.push_back(solvers[at].inverse());
  }
  fit.later = fit.earlier = MatrixXd::Zero(static_cast<Index>(problem.rates), metrics);
  fit.seconds.resize(problem.columns);
  fit.samples.resize(problem.columns);
  fit.scatter.assign(problem.metrics(), MatrixXd::Zero(k, count));
  VectorXd residuals = VectorXd::Zero(metrics);
  double busy = 0;
  ForRows(problem, windows, offset_ns, budget,
          [&](size_t window, const PmRow& row, const std::vector<int32_t>& columns,
              const std::vector<double>& shares, double weight) {
            for (size_t i = 0; i < columns.size(); ++i) {
              const auto column = static_cast<size_t>(columns[i]);
              fit.seconds[column] += shares[i] * row.length_ns * 1e-9;
              fit.samples[column] += static_cast<int64_t>(weight);
            }
            if (!row.columns.empty()) busy += weight;
            for (Index m = 0; m < metrics; ++m) {
              double rest = problem.Value(row.row, static_cast<size_t>(m));
              for (size_t i = 0; i < columns.size(); ++i) {
                rest -= shares[i] * fit.rates(columns[i], m);
              }
              if (!row.columns.empty()) residuals(m) += weight * rest * rest;
              for (size_t i = 0; i < columns.size(); ++i) {
                fit.scatter[static_cast<size_t>(m)](columns[i], static_cast<Index>(window)) +=
                    weight * shares[i] * rest;
              }
            }
          });
  fit.variance = residuals;
  for (Index m = 0; m < metrics; ++m) {
    fit.variance(m) /= std::max(1.0, busy - solvers[static_cast<size_t>(m)].unknowns());
  }
  for (size_t m = 0; m < fit.scatter.size(); ++m) fit.scatter[m] = fit.inverse[m] * fit.scatter[m];
  fit.quantile = 1.96 + 2.5 / std::max(1.0, static_cast<double>(count - 1));
  return fit;
}

double PmFit::Value(const PmWeights& weights, size_t metric) const {
  double value = 0;
  for (const auto& [column, weight] : weights) {
    value += weight * rates(column, static_cast<Index>(metric));
  }
  return value;
}

double PmFit::Error(const PmWeights& weights, size_t metric) const {
  const auto m = static_cast<Index>(metric);
  double product = 0, later_by = 0, earlier_by = 0;
  VectorXd moved = VectorXd::Zero(scatter[metric].cols());
  for (const auto& [column, weight] : weights) {
    for (const auto& [other, other_weight] : weights) {
      product += weight * other_weight * inverse[metric](column, other);
    }
    moved += weight * scatter[metric].row(column).transpose();
    later_by += weight * later(column, m);
    earlier_by += weight * earlier(column, m);
  }
  const auto count = static_cast<double>(moved.size());
  const double clustered = moved.squaredNorm() * (count > 1 ? count / (count - 1) : 1);
  const double clock = std::max(std::abs(later_by), std::abs(earlier_by));
  return quantile * std::sqrt(std::max({variance(m) * product, clustered, 0.0})) + clock;
}

}  // namespace prof::analyzer
