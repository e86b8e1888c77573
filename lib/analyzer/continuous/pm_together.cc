// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/pm_together.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "lib/analyzer/continuous/pm_chance.h"

namespace prof::analyzer {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;

constexpr double kCovered = 0.90;  // of a sample, by the kernel

// The samples of one launch.
struct Cluster {
  double samples = 0;
  ArrayXd sum;
};

struct ColumnSums {
  std::map<int32_t, Cluster> launches;  // by the operation's index
  std::map<int32_t, double> beside_ns;  // by column
};

PmTogether FinishColumn(const ColumnSums& sums, Index metrics) {
  PmTogether result;
  result.means = result.errors = ArrayXd::Zero(metrics);
  double samples = 0;
  for (const auto& [launch, cluster] : sums.launches) {
    samples += cluster.samples;
    result.means += cluster.sum;
  }
  if (!(samples > 0)) return result;
  result.means /= samples;
  result.samples = std::llround(samples);
  result.launches = static_cast<int64_t>(sums.launches.size());
  const auto n = static_cast<double>(result.launches);
  ArrayXd squares = ArrayXd::Zero(metrics);
  for (const auto& [launch, cluster] : sums.launches) {
    squares += (cluster.sum - cluster.samples * result.means).square();
  }
  if (n > 1) {
    result.errors = StudentQuantile(n - 1) * (squares * (n / (n - 1))).sqrt() / samples;
  }
  double most_ns = 0;
  for (const auto& [column, ns] : sums.beside_ns) {
    if (ns <= most_ns) continue;
    most_ns = ns;
    result.beside = column;
  }
  return result;
}

}  // namespace

std::vector<PmTogether> MeasureTogether(const PmProblem& problem, int64_t offset_ns) {
  const auto metrics = static_cast<Index>(problem.metrics());
  const std::vector<PmContrasts> none;
  std::vector<ColumnSums> sums(problem.rates);
  std::vector<double> seconds(problem.rates);
  PmSweep sweep(problem.work, problem.series, problem.column_of, none, problem.rates, offset_ns);
  sweep.Run(0, problem.rows.use.size(), [&](const PmRow& row) {
    if (problem.rows.use[row.row] == RowUse::kSkip) return;
    const auto weight = static_cast<double>(problem.series.samples[row.row]);
    for (size_t i = 0; i < row.columns.size(); ++i) {
      if (row.ns[i] < kCovered * row.length_ns) continue;
      const auto column = static_cast<size_t>(row.columns[i]);
      Cluster& cluster = sums[column].launches[row.launch[i]];
      if (cluster.sum.size() == 0) cluster.sum = ArrayXd::Zero(metrics);
      cluster.samples += weight;
      for (Index m = 0; m < metrics; ++m) {
        cluster.sum(m) += weight * problem.Value(row.row, static_cast<size_t>(m));
      }
      seconds[column] += row.length_ns * 1e-9;
      for (size_t j = 0; j < row.columns.size(); ++j) {
        if (j != i) sums[column].beside_ns[row.columns[j]] += row.ns[j];
      }
    }
  });
  std::vector<PmTogether> together;
  for (size_t column = 0; column < sums.size(); ++column) {
    together.push_back(FinishColumn(sums[column], metrics));
    together.back().seconds = seconds[column];
  }
  return together;
}

}  // namespace prof::analyzer
