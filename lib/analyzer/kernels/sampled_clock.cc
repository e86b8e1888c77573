// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/kernels/sampled_clock.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

#include "lib/format/metric_names.h"

namespace prof::analyzer {
namespace {

// Samples of hours have few different clocks: the driver sets them in steps.
struct Clocks {
  std::map<double, double> ns_at;  // by Hz
  int64_t samples = 0;
};

constexpr size_t kNoColumn = SIZE_MAX;

size_t ClockColumn(const model::PmSeries& series) {
  const auto found =
      std::find(series.metrics.begin(), series.metrics.end(), format::kSmClockMetric);
  return found == series.metrics.end() ? kNoColumn : found - series.metrics.begin();
}

void AddSeries(const model::Model& model, const model::PmSeries& series, size_t column,
               const KernelGroups& groups, std::vector<Clocks>* clocks) {
  size_t first = 0;  // the first row that ends behind the operation's start
  for (size_t i = 0; i < model.ops.size(); ++i) {
    const model::Op& op = model.ops[i];
    if (!op.timed) break;  // they are last
    if (op.device != series.device || groups.group_of_op[i] == model::kNoIndex) continue;
    while (first < series.rows() && series.end_ns[first] <= op.start_ns) ++first;
    for (size_t row = first; row < series.rows() && series.begin_ns[row] < op.end_ns; ++row) {
      const double hz = series.row(row)[column];
      const int64_t ns =
          std::min(op.end_ns, series.end_ns[row]) - std::max(op.start_ns, series.begin_ns[row]);
      if (!(hz > 0) || ns <= 0) continue;
      Clocks& of_group = (*clocks)[groups.group_of_op[i]];
      of_group.ns_at[hz] += static_cast<double>(ns);
      ++of_group.samples;
    }
  }
}

Statistic StatisticOf(const Clocks& clocks) {
  Statistic result;
  result.n = clocks.samples;
  if (result.n == 0) {
    result.median = result.min = result.max = result.sum = std::nan("");
    return result;
  }
  double all_ns = 0, below_ns = 0;
  for (const auto& [hz, ns] : clocks.ns_at) all_ns += ns;
  for (const auto& [hz, ns] : clocks.ns_at) {
    below_ns += ns;
    if (2 * below_ns < all_ns) continue;
    result.median = hz;
    break;
  }
  result.min = clocks.ns_at.begin()->first;
  result.max = clocks.ns_at.rbegin()->first;
  result.sum = result.median * static_cast<double>(result.n);
  return result;
}

}  // namespace

double SampledClockHz(const model::Model& model, uint32_t device, const Interval& span) {
  constexpr size_t kFewest = 20;
  std::vector<float> read;
  for (const model::PmSeries& series : model.pm_series) {
    const size_t column = ClockColumn(series);
    if (series.device != device || column == kNoColumn) continue;
    for (size_t i = 0; i < series.rows(); ++i) {
      const bool within = series.begin_ns[i] >= span.start_ns && series.end_ns[i] <= span.end_ns;
      if (within && series.row(i)[column] > 0) read.push_back(series.row(i)[column]);
    }
  }
  if (read.size() < kFewest) return 0;
  const auto middle = read.begin() + static_cast<std::ptrdiff_t>(read.size() / 2);
  std::nth_element(read.begin(), middle, read.end());
  return *middle;
}

std::vector<Statistic> ReadSampledClocks(const model::Model& model, const KernelGroups& groups) {
  std::vector<Clocks> clocks(groups.groups.size());
  for (const model::PmSeries& series : model.pm_series) {
    const size_t column = ClockColumn(series);
    if (column != kNoColumn) AddSeries(model, series, column, groups, &clocks);
  }
  std::vector<Statistic> result;
  result.reserve(clocks.size());
  std::transform(clocks.begin(), clocks.end(), std::back_inserter(result), StatisticOf);
  return result;
}

}  // namespace prof::analyzer
