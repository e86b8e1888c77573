// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/pm_pairs.h"

#include <algorithm>
#include <iterator>

namespace prof::analyzer {
namespace {

// The rows [first, last] of `from` as one.
void Join(const model::PmSeries& from, size_t first, size_t last, uint32_t samples, RowUse use,
          PmPairs* pairs) {
  model::PmSeries& to = pairs->series;
  to.begin_ns.push_back(from.begin_ns[first]);
  to.end_ns.push_back(from.end_ns[last]);
  to.samples.push_back(samples);
  pairs->rows.use.push_back(use);
  const auto first_ns = static_cast<double>(from.end_ns[first] - from.begin_ns[first]);
  const auto last_ns = static_cast<double>(from.end_ns[last] - from.begin_ns[last]);
  std::transform(from.row(first), std::next(from.row(first), from.metrics.size()), from.row(last),
                 std::back_inserter(to.values), [&](double a, double b) {
                   return static_cast<float>((a * first_ns + b * last_ns) / (first_ns + last_ns));
                 });
}

}  // namespace

PmPairs JoinPairs(const model::PmSeries& series, const PmRows& rows) {
  PmPairs pairs;
  pairs.rows.metrics = rows.metrics;
  pairs.rows.sample_ns = 2 * rows.sample_ns;
  pairs.series.device = series.device;
  pairs.series.interval_ns = 2 * series.interval_ns;
  pairs.series.metrics = series.metrics;
  pairs.series.scales = series.scales;
  const auto is_one = [&](size_t row) {
    const bool usable = rows.use[row] == RowUse::kIdle || rows.use[row] == RowUse::kAlone;
    return usable && series.samples[row] == 1 && series.end_ns[row] > series.begin_ns[row];
  };
  for (size_t i = 0; i < series.rows(); ++i) {
    const size_t next = i + 1;
    if (rows.use[i] != RowUse::kSkip && series.samples[i] > 1) {  // equal ones: pairs already
      Join(series, i, i, series.samples[i] / 2, rows.use[i], &pairs);
    } else if (is_one(i) && next < series.rows() && is_one(next) &&
               series.begin_ns[next] == series.end_ns[i]) {
      Join(series, i, next, 1, std::max(rows.use[i], rows.use[next]), &pairs);
      i = next;
    }
  }
  return pairs;
}

}  // namespace prof::analyzer
