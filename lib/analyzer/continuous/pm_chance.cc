// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/pm_chance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace prof::analyzer {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;

constexpr double kWhole = 0.999;  // of a sample: less comes from the rounding of times
// A column with fewer launches than this is cut into parts of launches.
constexpr int64_t kFewLaunches = 3;
constexpr double kParts = 8;

}  // namespace

PmChance::PmChance(const PmProblem& problem, const Eigen::MatrixXd& inverse)
    : problem_(problem), inverse_(inverse), columns_(problem.rates) {
  const auto metrics = static_cast<Index>(problem.metrics());
  for (Column& column : columns_) {
    column.sum = column.squares = column.noise = ArrayXd::Zero(metrics);
  }
  std::vector<int64_t> launches(problem.rates);
  std::vector<double> time_ns(problem.rates);
  for (size_t entity = 0; entity < problem.column_of.size(); ++entity) {
    const auto column = static_cast<size_t>(problem.column_of[entity]);
    launches[column] += problem.work.entities[entity].launches;
    time_ns[column] += problem.work.entities[entity].time_ns;
  }
  for (size_t column = 0; column < problem.rates; ++column) {
    const double rows = time_ns[column] / std::max(1.0, problem.rows.sample_ns);
    cluster_rows_.push_back(launches[column] < kFewLaunches
                                ? std::max<int64_t>(1, std::llround(rows / kParts))
                                : std::numeric_limits<int64_t>::max());
  }
}

void PmChance::Close(Column* column) {
  if (column->rows == 0) return;
  column->squares += column->sum.square();
  column->sum.setZero();
  column->rows = 0;
  ++column->clusters;
}

void PmChance::Add(const PmRow& row, const std::vector<int32_t>& columns,
                   const std::vector<double>& shares, double weight,
                   const Eigen::VectorXd& residuals, PmFit* fit) {
  for (size_t i = 0; i < row.columns.size(); ++i) {
    const auto number = static_cast<size_t>(row.columns[i]);
    if (number >= problem_.rates) continue;  // a contrast
    Column& column = columns_[number];
    const bool is_new = row.launch[i] != column.launch;
    if (is_new) fit->launches[number] += std::max(1, row.began[i]);
    if (is_new || column.rows >= cluster_rows_[number]) Close(&column);
    column.launch = row.launch[i];
    ++column.rows;
    double moves = 0;  // the rate, by a residual of one
    for (size_t j = 0; j < columns.size(); ++j) {
      moves += inverse_(static_cast<Index>(number), columns[j]) * shares[j];
    }
    column.sum += weight * moves * residuals.array();
    const double share = weight * shares[i] * shares[i];
    column.noise += share * residuals.array().square();
    column.shares += share;
    column.all_shares += weight;
    if (shares[i] >= kWhole && row.began[i] <= 1 && row.concurrent_ns <= 0) {
      fit->direct[number] += static_cast<int64_t>(weight);
    }
  }
}

Eigen::MatrixXd PmChance::Finish(const PmSolver& solver) {
  Eigen::MatrixXd chance = Eigen::MatrixXd::Zero(inverse_.rows(), problem_.metrics());
  for (size_t number = 0; number < columns_.size(); ++number) {
    Column& column = columns_[number];
    Close(&column);
    const auto at = static_cast<Index>(number);
    // The part of the inverse that chance makes; the rest is what was expected of the contrasts.
    const Index contrasts = inverse_.cols() - solver.rates();
    const double assumed = inverse_.row(at).tail(contrasts).cwiseAbs2() * solver.penalties();
    const double spread = std::max(0.0, inverse_(at, at) - assumed);
    const double freedom = std::max(1.0, column.all_shares - 1) / std::max(1.0, column.all_shares);
    const auto clusters = static_cast<double>(column.clusters);
    for (Index m = 0; m < chance.cols(); ++m) {
      const double noise =
          column.shares > 0 ? column.noise(m) / column.shares / freedom * spread : 0;
      const double scatter = clusters > 1 ? column.squares(m) * clusters / (clusters - 1) : 0;
      chance(at, m) =
          std::max(kNormal * std::sqrt(noise), StudentQuantile(clusters - 1) * std::sqrt(scatter));
    }
  }
  return chance;
}

}  // namespace prof::analyzer
