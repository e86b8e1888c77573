// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/pm_clock.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace prof::analyzer {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int64_t kStepNs = 1000;
constexpr int kSteps = 10;                // either way
constexpr double kLeastErrorNs = 250;     // timestamps are rounded, and the grid is 1 us
constexpr double kMostErrorNs = 2000;     // an offset with a larger error is not known
constexpr double kAssumedErrorNs = 2000;  // of an unknown offset
constexpr size_t kWindows = 16, kRowsEach = 1500;
constexpr size_t kColumns = 62;  // with most time
constexpr double kBudget = 5e8;  // multiplications for one offset

std::optional<PmOffset> FindOffset(const PmProblem& problem, const std::vector<PmWindow>& windows) {
  std::vector<VectorXd> residuals;
  double samples = 0;
  for (int step = -kSteps; step <= kSteps; ++step) {
    const NormalEquations sums = SumRows(problem, windows, step * kStepNs, kBudget);
    residuals.push_back(sums.Residuals(SolveRates(sums)) + 1e-12 * sums.squares);
    samples = sums.busy;
  }
  const double freedom = samples - static_cast<double>(problem.columns);
  if (freedom < static_cast<double>(problem.columns)) return std::nullopt;
  // The likeliest offset when the metrics' errors are independent and normal.
  const auto score = [](const VectorXd& squares) {
    return squares.unaryExpr([](double v) { return v > 0 ? std::log(v) : 0.0; }).sum();
  };
  size_t best = 0;
  for (size_t i = 1; i < residuals.size(); ++i) {
    if (score(residuals[i]) < score(residuals[best])) best = i;
  }
  if (best == 0 || best + 1 == residuals.size()) return std::nullopt;
  // A parabola through the best three, in units of each metric's variance there.
  const VectorXd variance = residuals[best] / freedom;
  const auto normalized = [&](size_t i) {
    return residuals[i]
        .binaryExpr(variance, [](double r, double v) { return v > 0 ? r / v : 0.0; })
        .sum();
  };
  const double before = normalized(best - 1), at = normalized(best), after = normalized(best + 1);
  const double curvature = before + after - 2 * at;  // per step and step
  if (!(curvature > 0)) return std::nullopt;
  PmOffset offset;
  offset.ns = kStepNs * (static_cast<double>(best) - kSteps + (before - after) / (2 * curvature));
  // Twice the likelihood falls by the rise of the sum. All metrics see the same operations, so
  // together they have the information of one: hence the division by their number.
  const double deviation =
      std::sqrt(2 * static_cast<double>(problem.metrics()) / curvature) * kStepNs;
  offset.error_ns = std::max(kLeastErrorNs, 3 * deviation);
  if (!(offset.error_ns <= kMostErrorNs)) return std::nullopt;
  return offset;
}

// The rows in which only the first columns ran: those with most time.
PmRows RowsOfFirst(const PmProblem& problem) {
  PmRows rows = problem.rows;
  PmSweep sweep(problem.work, problem.series, problem.column_of, problem.contrasts, problem.columns,
                0);
  sweep.Run(0, rows.use.size(), [&](const PmRow& row) {
    for (const int32_t column : row.columns) {
      if (static_cast<size_t>(column) >= kColumns) rows.use[row.row] = RowUse::kSkip;
    }
  });
  return rows;
}

// The same problem with few columns. What else there is goes to the last but one: by another offset
// it may reach into a row.
PmProblem WithFewColumns(const PmProblem& problem, const PmRows& rows) {
  PmProblem few{problem.series, problem.work, rows,        problem.column_of,
                kColumns + 2,   {},           kColumns + 2};
  for (int32_t& column : few.column_of) {
    column = std::min(column, static_cast<int32_t>(kColumns));
  }
  return few;
}

std::optional<PmOffset> FindOwnOffset(const PmProblem& problem, PmClock* clock) {
  const auto windows = [&](double from, double to) {
    return SpreadWindows(problem.rows, from, to, kWindows, kRowsEach);
  };
  const std::optional<PmOffset> own = FindOffset(problem, windows(0, 1));
  if (!own) return own;
  const std::optional<PmOffset> first = FindOffset(problem, windows(0, 1.0 / 3));
  const std::optional<PmOffset> last = FindOffset(problem, windows(2.0 / 3, 1));
  if (!first || !last) return own;
  clock->compared = true;
  clock->first_ns = first->ns;
  clock->last_ns = last->ns;
  clock->stable = std::abs(last->ns - first->ns) <= first->error_ns + last->error_ns + kStepNs;
  return own;
}

}  // namespace

PmClock FindPmClock(const PmProblem& problem, const std::optional<PmOffset>& others) {
  PmClock clock;
  std::optional<PmOffset> own;
  if (problem.rates <= kColumns + 2) {
    own = FindOwnOffset(problem, &clock);
  } else {
    const PmRows rows = RowsOfFirst(problem);
    own = FindOwnOffset(WithFewColumns(problem, rows), &clock);
  }

  const PmOffset offset = own ? *own : others.value_or(PmOffset{0, kAssumedErrorNs});
  clock.known = own || others;
  clock.from_other = !own && others;
  clock.offset_ns = offset.ns;
  clock.error_ns = offset.error_ns;
  if (!clock.stable) {
    clock.error_ns = std::max(clock.error_ns, std::abs(clock.last_ns - clock.first_ns));
  }
  const std::vector<PmWindow> all = SpreadWindows(problem.rows, 0, 1, kWindows, kRowsEach);
  const auto rates_at = [&](double ns) {
    const NormalEquations sums =
        SumRows(problem, all, static_cast<int64_t>(std::llround(ns)), kBudget);
    return SolveRates(sums);
  };
  const MatrixXd at = rates_at(clock.offset_ns);
  clock.later = rates_at(clock.offset_ns + clock.error_ns) - at;
  clock.earlier = rates_at(clock.offset_ns - clock.error_ns) - at;
  return clock;
}

}  // namespace prof::analyzer
