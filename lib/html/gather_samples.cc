// SPDX-License-Identifier: Apache-2.0
#include "lib/html/gather_samples.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lib/html/track_writer.h"

namespace prof::html {
namespace {

constexpr size_t kMostPmRows = 50'000;
constexpr double kSteps = 1000;  // of a metric's maximum: a pixel or less

// The mean of rows that touch.
struct Merged {
  int64_t begin_ns = 0, end_ns = 0;
  size_t rows = 0;
  std::vector<double> sums, weights;  // by metric

  void Add(const model::PmSeries& series, size_t row) {
    const auto length_ns = static_cast<double>(series.end_ns[row] - series.begin_ns[row]);
    if (rows++ == 0) {
      begin_ns = series.begin_ns[row];
      sums.assign(series.metrics.size(), 0);
      weights.assign(series.metrics.size(), 0);
    }
    end_ns = series.end_ns[row];
    for (size_t m = 0; m < sums.size(); ++m) {
      const double value = series.row(row)[m];
      if (std::isnan(value)) continue;
      sums[m] += value * length_ns;
      weights[m] += length_ns;
    }
  }
};

std::vector<double> MaximaOf(const model::PmSeries& series) {
  std::vector<double> maxima(series.metrics.size(), 0);
  for (size_t i = 0; i < series.values.size(); ++i) {
    const double value = series.values[i];
    double& maximum = maxima[i % maxima.size()];
    if (value > maximum) maximum = value;
  }
  return maxima;
}

// What has to be taken from the times of samples: ContinuousReport::clock_offset_ns.
int64_t OffsetOf(const Report& report, uint32_t device) {
  for (const ContinuousReport& one : report.continuous) {
    if (one.device == device && one.clock_known) return std::llround(one.clock_offset_ns);
  }
  return 0;
}

class PmTrack {
 public:
  PmTrack(const model::PmSeries& series, int64_t offset_ns, TimelineData* data)
      : maxima_(MaximaOf(series)),
        offset_ns_(offset_ns),
        last_end_ns_(data->start_ns),
        last_(series.metrics.size(), 0),
        writer_(data, TrackOf(series, maxima_), 2 + series.metrics.size()) {}

  void Add(const Merged& row) {
    const int64_t begin_ns = std::max(row.begin_ns - offset_ns_, last_end_ns_);
    const int64_t end_ns = std::max(row.end_ns - offset_ns_, begin_ns);
    writer_.column(0).Add(static_cast<uint64_t>(begin_ns - last_end_ns_));
    writer_.column(1).Add(static_cast<uint64_t>(end_ns - begin_ns));
    last_end_ns_ = end_ns;
    for (size_t m = 0; m < last_.size(); ++m) {
      const int64_t step = StepOf(row, m);
      writer_.column(2 + m).AddSigned(step - last_[m]);
      last_[m] = step;
    }
    writer_.EndRow();
  }

  void Finish() { writer_.Finish(); }

 private:
  static Track TrackOf(const model::PmSeries& series, const std::vector<double>& maxima) {
    Track track;
    track.kind = "pm";
    track.device = series.device;
    track.group = "GPU " + std::to_string(series.device);
    track.label = "PM samples";
    track.metrics = series.metrics;
    track.maxima = maxima;
    return track;
  }

  int64_t StepOf(const Merged& row, size_t metric) const {
    if (row.weights[metric] <= 0) return 0;
    if (maxima_[metric] <= 0) return 1;
    const double mean = row.sums[metric] / row.weights[metric];
    return std::llround(std::max(0.0, mean / maxima_[metric]) * kSteps) + 1;
  }

  std::vector<double> maxima_;
  int64_t offset_ns_;
  int64_t last_end_ns_;
  std::vector<int64_t> last_;
  TrackWriter writer_;
};

void GatherSeries(const model::PmSeries& series, int64_t offset_ns, TimelineData* data) {
  if (series.rows() == 0 || series.metrics.empty()) return;
  const size_t together = (series.rows() + kMostPmRows - 1) / kMostPmRows;
  PmTrack track(series, offset_ns, data);
  Merged merged;
  for (size_t i = 0; i < series.rows(); ++i) {
    const bool touches =
        merged.rows > 0 && series.begin_ns[i] <= merged.end_ns + series.interval_ns;
    if (merged.rows > 0 && (merged.rows == together || !touches)) {
      track.Add(merged);
      merged = {};
    }
    merged.Add(series, i);
  }
  track.Add(merged);
  track.Finish();
}

}  // namespace

void GatherPmSamples(const model::Model& model, const Report& report, TimelineData* data) {
  for (const model::PmSeries& series : model.pm_series) {
    GatherSeries(series, OffsetOf(report, series.device), data);
  }
}

}  // namespace prof::html
