// SPDX-License-Identifier: Apache-2.0
#include "lib/snapshot/decode/pm_samples.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "prof/snapshot.pb.h"

namespace prof::snapshot {
namespace {

constexpr size_t kMaxPmSeries = 1024;

absl::Status Bad(const std::string& what) {
  return absl::DataLossError(absl::StrCat("PM samples: ", what));
}

absl::Status CheckColumns(const wire::PmColumns& columns, const model::PmSeries& series) {
  const int rows = columns.duration_delta_ns_size();
  if (columns.values_size() != static_cast<int>(series.metrics.size())) {
    return Bad(absl::StrCat(columns.values_size(), " columns of values for the ",
                            series.metrics.size(), " metrics of their series"));
  }
  for (const wire::PmValues& values : columns.values()) {
    if (values.delta_size() != rows) {
      return Bad(absl::StrCat("a column has ", values.delta_size(), " values for ", rows, " rows"));
    }
  }
  if (columns.gap_row_size() != columns.gap_ns_size() ||
      columns.merged_row_size() != columns.merged_count_size()) {
    return Bad("the parts of a sparse column differ in length");
  }
  const auto in_rows = [&](const auto& sparse) {
    return std::all_of(sparse.begin(), sparse.end(),
                       [&](uint32_t row) { return row < static_cast<uint32_t>(rows); });
  };
  bool sparse_ok = in_rows(columns.gap_row()) && in_rows(columns.merged_row());
  for (const wire::PmValues& values : columns.values()) sparse_ok &= in_rows(values.missing_row());
  return sparse_ok ? absl::OkStatus() : Bad(absl::StrCat("a sparse column names a row of ", rows));
}

// Writes the values of one metric to every `stride`-th element of `to`. Sums wrap round, so that no
// file can make them undefined.
void AddValues(const wire::PmValues& values, double scale, size_t stride, float* to) {
  uint64_t sum = 0;
  for (int row = 0; row < values.delta_size(); ++row) {
    sum += static_cast<uint64_t>(values.delta(row));
    const auto value = static_cast<float>(static_cast<double>(static_cast<int64_t>(sum)) * scale);
    to[static_cast<size_t>(row) * stride] =
        std::isfinite(value) ? value : std::numeric_limits<float>::quiet_NaN();
  }
  for (const uint32_t row : values.missing_row()) {
    to[row * stride] = std::numeric_limits<float>::quiet_NaN();
  }
}

absl::Status AddColumns(const wire::PmColumns& columns, model::Model* model) {
  if (columns.series() == 0 || columns.series() > model->pm_series.size()) {
    return Bad(absl::StrCat("of series ", columns.series(), " of ", model->pm_series.size(),
                            " known so far"));
  }
  model::PmSeries& series = model->pm_series[columns.series() - 1];
  if (absl::Status status = CheckColumns(columns, series); !status.ok()) return status;

  const size_t first = series.rows();
  const auto rows = static_cast<size_t>(columns.duration_delta_ns_size());
  series.begin_ns.resize(first + rows);  // gaps, for now
  for (int i = 0; i < columns.gap_row_size(); ++i) {
    series.begin_ns[first + columns.gap_row(i)] = columns.gap_ns(i);
  }
  series.end_ns.resize(first + rows);
  series.samples.resize(first + rows, 1);
  for (int i = 0; i < columns.merged_row_size(); ++i) {
    series.samples[first + columns.merged_row(i)] = columns.merged_count(i);
  }
  series.values.resize((first + rows) * series.metrics.size());
  auto last_end = static_cast<uint64_t>(columns.base_ns());
  for (size_t row = 0; row < rows; ++row) {
    const size_t at = first + row;
    const uint64_t count = series.samples[at];
    const uint64_t begin = last_end + static_cast<uint64_t>(series.begin_ns[at]);
    last_end = begin + static_cast<uint64_t>(series.interval_ns) * count +
               static_cast<uint64_t>(columns.duration_delta_ns(static_cast<int>(row)));
    series.begin_ns[at] = static_cast<int64_t>(begin);
    series.end_ns[at] = static_cast<int64_t>(last_end);
    if (count == 0 || series.begin_ns[at] < 0 || series.end_ns[at] >= kMaxTime ||
        series.end_ns[at] <= series.begin_ns[at]) {
      return Bad(absl::StrCat("row ", row, " has an impossible time"));
    }
  }
  for (size_t m = 0; m < series.metrics.size(); ++m) {
    AddValues(columns.values(static_cast<int>(m)), series.scales[m], series.metrics.size(),
              series.values.data() + first * series.metrics.size() + m);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status AddPmSeries(const wire::Block& block, DecodeState* state) {
  model::Model& model = *state->model;
  for (const wire::PmSeries& wire : block.pm_series()) {
    if (model.pm_series.size() >= kMaxPmSeries) {
      return Bad(absl::StrCat("more than ", kMaxPmSeries, " series"));
    }
    if (wire.scale_size() != wire.metric_size() || wire.interval_ns() >= uint64_t{kMaxTime}) {
      return Bad(absl::StrCat(wire.scale_size(), " scales for ", wire.metric_size(),
                              " metrics at an interval of ", wire.interval_ns(), " ns"));
    }
    absl::Status status = Spend(
        static_cast<size_t>(wire.metric_size()) * (sizeof(std::string) + sizeof(double)), state);
    if (!status.ok()) return status;
    model::PmSeries& series = model.pm_series.emplace_back();
    series.device = wire.device();
    series.interval_ns = static_cast<int64_t>(wire.interval_ns());
    for (int i = 0; i < wire.metric_size(); ++i) {
      if (!(wire.scale(i) > 0 && std::isfinite(wire.scale(i)))) {
        return Bad("a scale is not a positive number");
      }
      series.scales.push_back(wire.scale(i));
      status =
          CopyString("a PM metric's name", wire.metric(i), state, &series.metrics.emplace_back());
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

absl::Status AddPmSamples(const wire::Block& block, DecodeState* state) {
  for (const wire::PmColumns& columns : block.pm_samples()) {
    if (absl::Status status = AddColumns(columns, state->model); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace prof::snapshot
