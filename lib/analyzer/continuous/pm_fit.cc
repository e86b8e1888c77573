// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/pm_fit.h"

#include <algorithm>
#include <cmath>

#include "lib/analyzer/continuous/pm_chance.h"

namespace prof::analyzer {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// On a unit diagonal: far below any measurement, far above the rounding of a double.
constexpr double kRidge = 1e-8;
// Of the sum of a contrast's squares: far above the ridge, which would pull rates to zero where
// nothing else holds a contrast. Samples without noise ask for less.
constexpr double kLeastPenalty = 1e-5;

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
  PmSweep sweep(problem.work, problem.series, problem.column_of, problem.contrasts, problem.columns,
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
      static_cast<double>(std::count(rows.use.begin(), rows.use.end(), RowUse::kAlone));
  const auto first = static_cast<size_t>(from * busy), last = static_cast<size_t>(to * busy);
  std::vector<PmWindow> windows;
  if (last <= first || count == 0) return windows;
  count = std::min(count, last - first);
  const auto begin_of = [&](size_t w) { return first + (last - first) * w / count; };
  size_t ordinal = 0;  // of the next busy row
  for (size_t row = 0; row < rows.use.size(); ++row) {
    const bool is_busy = rows.use[row] == RowUse::kAlone;
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

MatrixXd WindowResiduals(const PmProblem& problem, const std::vector<PmWindow>& windows,
                         int64_t offset_ns, const MatrixXd& rates) {
  const auto metrics = static_cast<Index>(problem.metrics());
  MatrixXd squares = MatrixXd::Zero(static_cast<Index>(windows.size()), metrics);
  VectorXd rest(metrics);
  ForRows(problem, windows, offset_ns, HUGE_VAL,
          [&](size_t window, const PmRow& row, const std::vector<int32_t>& columns,
              const std::vector<double>& shares, double weight) {
            if (row.columns.empty()) return;
            for (Index m = 0; m < metrics; ++m) {
              rest(m) = problem.Value(row.row, static_cast<size_t>(m));
            }
            for (size_t i = 0; i < columns.size(); ++i) {
              rest -= shares[i] * rates.row(columns[i]).transpose();
            }
            squares.row(static_cast<Index>(window)) += weight * rest.cwiseAbs2().transpose();
          });
  return squares;
}

MatrixXd SolveRates(const NormalEquations& sums) {
  const VectorXd scale = UnitScale(sums);
  return scale.asDiagonal() *
         Scaled(sums, scale).llt().solve(MatrixXd(scale.asDiagonal() * sums.values));
}

NormalEquations NormalEquations::First(size_t count) const {
  const auto k = static_cast<Index>(count);
  return {columns.topLeftCorner(k, k), values.topRows(k), squares, busy};
}

PmSolver::PmSolver(const NormalEquations& sums, const VectorXd& penalties)
    : rates_(sums.columns.rows() - penalties.size()),
      penalties_(
          penalties.cwiseMax(kLeastPenalty * sums.columns.diagonal().tail(penalties.size()))),
      values_(sums.values),
      squares_(sums.columns.diagonal()) {
  NormalEquations penalized = sums;
  penalized.columns.diagonal().tail(penalties_.size()) += penalties_;
  scale_ = UnitScale(penalized);
  scaled_ = Scaled(penalized, scale_);
  const Index k = scaled_.rows();
  inverse_ =
      scale_.asDiagonal() * scaled_.llt().solve(MatrixXd::Identity(k, k)) * scale_.asDiagonal();
  unknowns_ = static_cast<double>(k) - penalties_.dot(inverse_.diagonal().tail(penalties_.size()));
}

// Block principal pivoting: all columns at a bound leave the equations at once, and a column comes
// back when its gradient has the other sign. One column at a time where that does not converge.
VectorXd PmSolver::Bounded(Index metric, double high, double deviation) const {
  const Index k = scaled_.rows();
  const VectorXd target = scale_.cwiseProduct(values_.col(metric));
  const VectorXd most = high * scale_.cwiseInverse();  // rates are scale * x
  const VectorXd slack =
      (deviation * inverse_.diagonal().cwiseMax(0).cwiseSqrt()).cwiseQuotient(scale_);
  VectorXd x = (inverse_ * values_.col(metric)).cwiseQuotient(scale_);
  std::vector<int> bound(static_cast<size_t>(k), 0);  // -1: at 0, +1: at `most`
  Index fewest = k + 1;
  int patience = 3;
  for (int round = 0; round < 100; ++round) {
    if (round > 0) {
      std::vector<Index> free;
      VectorXd rest = target;
      for (Index i = 0; i < k; ++i) {
        const int at = bound[static_cast<size_t>(i)];
        if (at == 0) free.push_back(i);
        x(i) = at > 0 ? most(i) : 0;
        if (at > 0) rest -= most(i) * scaled_.col(i);
      }
      const MatrixXd equations = scaled_(free, free);
      const VectorXd solved = equations.llt().solve(VectorXd(rest(free)));
      for (size_t i = 0; i < free.size(); ++i) x(free[i]) = solved(static_cast<Index>(i));
    }
    const VectorXd gradient = target - scaled_ * x;
    const double tolerance = 1e-9 * (1 + target.cwiseAbs().maxCoeff());
    std::vector<std::pair<Index, int>> wrong;  // column, what it changes to
    for (Index i = 0; i < rates_; ++i) {
      const int at = bound[static_cast<size_t>(i)];
      const double outside = std::max(tolerance, slack(i));
      if (at == 0 && x(i) < -outside) wrong.emplace_back(i, -1);
      if (at == 0 && x(i) > most(i) + outside) wrong.emplace_back(i, 1);
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

double PmSolver::Partial(Index a, Index b) const {
  return std::abs(inverse_(a, b)) / std::sqrt(inverse_(a, a) * inverse_(b, b));
}

Index PmSolver::Nearest(Index column) const {
  Index nearest = column;
  double most = 0;
  for (Index other = 0; other < rates_; ++other) {
    if (other == column) continue;
    const double partial = Partial(column, other);
    if (partial <= most) continue;
    most = partial;
    nearest = other;
  }
  return nearest;
}

PmFit FitRates(const PmProblem& problem, const PmSolver& solver,
               const std::vector<PmWindow>& windows, int64_t offset_ns, double budget,
               const std::vector<double>& high, const VectorXd& deviations) {
  const auto k = static_cast<Index>(problem.columns);
  const auto rates = static_cast<Index>(problem.rates);
  const auto metrics = static_cast<Index>(problem.metrics());
  const auto count = static_cast<Index>(windows.size());
  PmFit fit;
  fit.rates.resize(k, metrics);
  for (Index m = 0; m < metrics; ++m) {
    fit.rates.col(m) = solver.Bounded(m, high[static_cast<size_t>(m)], deviations(m));
  }
  fit.inverse = solver.inverse();
  fit.pulls = fit.inverse.rightCols(k - rates) * solver.penalties().asDiagonal();
  fit.expected = MatrixXd::Zero(k - rates, metrics);
  fit.later = fit.earlier = MatrixXd::Zero(rates, metrics);
  fit.seconds.resize(problem.columns);
  fit.samples.resize(problem.columns);
  fit.direct.resize(problem.columns);
  fit.launches.resize(problem.columns);
  fit.scatter.assign(problem.metrics(), MatrixXd::Zero(k, count));
  VectorXd residuals = VectorXd::Zero(metrics), rest(metrics);
  double busy = 0;
  PmChance chance(problem, fit.inverse);
  ForRows(problem, windows, offset_ns, budget,
          [&](size_t window, const PmRow& row, const std::vector<int32_t>& columns,
              const std::vector<double>& shares, double weight) {
            for (Index m = 0; m < metrics; ++m) {
              rest(m) = problem.Value(row.row, static_cast<size_t>(m));
            }
            for (size_t i = 0; i < columns.size(); ++i) {
              const auto column = static_cast<size_t>(columns[i]);
              fit.seconds[column] += shares[i] * row.length_ns * 1e-9;
              fit.samples[column] += static_cast<int64_t>(weight);
              rest -= shares[i] * fit.rates.row(columns[i]).transpose();
            }
            if (!row.columns.empty()) {
              busy += weight;
              residuals += weight * rest.cwiseAbs2();
              chance.Add(row, columns, shares, weight, rest, &fit);
            }
            for (Index m = 0; m < metrics; ++m) {
              MatrixXd& scatter = fit.scatter[static_cast<size_t>(m)];
              for (size_t i = 0; i < columns.size(); ++i) {
                scatter(columns[i], static_cast<Index>(window)) += weight * shares[i] * rest(m);
              }
            }
          });
  fit.variance = residuals / std::max(1.0, busy - solver.unknowns());
  for (MatrixXd& scatter : fit.scatter) scatter = fit.inverse * scatter;
  fit.quantile = StudentQuantile(static_cast<double>(count - 1));
  fit.chance = chance.Finish(solver);
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
  VectorXd pulled = VectorXd::Zero(pulls.cols());
  for (const auto& [column, weight] : weights) {
    for (const auto& [other, other_weight] : weights) {
      product += weight * other_weight * inverse(column, other);
    }
    moved += weight * scatter[metric].row(column).transpose();
    if (pulls.cols() > 0) pulled += weight * pulls.row(column).transpose();
    later_by += weight * later(column, m);
    earlier_by += weight * earlier(column, m);
  }
  const auto count = static_cast<double>(moved.size());
  const double clustered = moved.squaredNorm() * (count > 1 ? count / (count - 1) : 1);
  const double own = weights.size() == 1
                         ? chance(weights[0].first, m)
                         : kNormal * std::sqrt(std::max(0.0, variance(m) * product));
  const double by_chance = std::max(own, quantile * std::sqrt(std::max(clustered, 0.0)));
  const double assumed = kNormal * pulled.cwiseProduct(expected.col(m)).norm();
  const double clock = std::max(std::abs(later_by), std::abs(earlier_by));
  return std::sqrt(by_chance * by_chance + assumed * assumed) + clock;
}

}  // namespace prof::analyzer
