// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/pm_summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace prof::analyzer {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kBins = 2048;  // of a histogram: percentiles without sorting hours of samples

// The part of a row within the span.
struct Part {
  int64_t begin_ns = 0, end_ns = 0;
  double ns() const { return static_cast<double>(std::max<int64_t>(0, end_ns - begin_ns)); }
};

class Summary {
 public:
  Summary(const model::PmSeries& series, int64_t start_ns, int64_t end_ns, int64_t bucket_ns)
      : series_(series), start_ns_(start_ns), end_ns_(end_ns), bucket_ns_(bucket_ns) {}

  ContinuousMetric Metric(size_t m) const {
    ContinuousMetric metric;
    metric.metric = series_.metrics[m];
    double low = HUGE_VAL, high = -HUGE_VAL, total_ns = 0, sum = 0;
    ForValues(m, [&](const Part& part, double value) {
      low = std::min(low, value);
      high = std::max(high, value);
      total_ns += part.ns();
      sum += part.ns() * value;
    });
    metric.mean = total_ns > 0 ? sum / total_ns : kNaN;
    metric.max = total_ns > 0 ? high : kNaN;
    metric.buckets = Buckets(m);
    const std::vector<double> bins = Histogram(m, low, high);
    const auto percentile = [&](double fraction) {
      if (!(total_ns > 0)) return kNaN;
      double below = 0;
      for (size_t bin = 0; bin < kBins; ++bin) {
        below += bins[bin];
        if (below < fraction * total_ns) continue;
        return low + (high - low) * static_cast<double>(bin) / (kBins - 1);
      }
      return high;
    };
    metric.p5 = percentile(0.05);
    metric.median = percentile(0.5);
    metric.p95 = percentile(0.95);
    return metric;
  }

  double CoveredNs() const {
    double covered_ns = 0;
    int64_t until_ns = start_ns_;
    for (size_t i = 0; i < series_.rows(); ++i) {
      const int64_t begin_ns = std::max(series_.begin_ns[i], until_ns);
      const int64_t end_ns = std::min(series_.end_ns[i], end_ns_);
      if (end_ns <= begin_ns) continue;
      covered_ns += static_cast<double>(end_ns - begin_ns);
      until_ns = end_ns;
    }
    return covered_ns;
  }

 private:
  template <typename Visit>
  void ForValues(size_t m, Visit visit) const {
    for (size_t i = 0; i < series_.rows(); ++i) {
      const Part part = {std::max(series_.begin_ns[i], start_ns_),
                         std::min(series_.end_ns[i], end_ns_)};
      const double value = series_.row(i)[m];
      if (part.ns() > 0 && !std::isnan(value)) visit(part, value);
    }
  }

  // Nearest bins: the lowest and the highest value have a bin of their own.
  std::vector<double> Histogram(size_t m, double low, double high) const {
    std::vector<double> bins(kBins);
    ForValues(m, [&](const Part& part, double value) {
      const double at = high > low ? (value - low) / (high - low) * (kBins - 1) : 0;
      bins[static_cast<size_t>(std::lround(at))] += part.ns();
    });
    return bins;
  }

  std::vector<double> Buckets(size_t m) const {
    const auto count = static_cast<size_t>((end_ns_ - start_ns_ - 1) / bucket_ns_ + 1);
    std::vector<double> sums(count), ns(count);
    ForValues(m, [&](const Part& part, double value) {
      int64_t at_ns = part.begin_ns;
      while (at_ns < part.end_ns) {
        const int64_t bucket = (at_ns - start_ns_) / bucket_ns_;
        const int64_t until_ns = std::min(part.end_ns, start_ns_ + (bucket + 1) * bucket_ns_);
        sums[static_cast<size_t>(bucket)] += value * static_cast<double>(until_ns - at_ns);
        ns[static_cast<size_t>(bucket)] += static_cast<double>(until_ns - at_ns);
        at_ns = until_ns;
      }
    });
    for (size_t i = 0; i < count; ++i) sums[i] = ns[i] > 0 ? sums[i] / ns[i] : kNaN;
    return sums;
  }

  const model::PmSeries& series_;
  const int64_t start_ns_, end_ns_, bucket_ns_;
};

}  // namespace

ContinuousReport SummarizePm(const model::PmSeries& series, int64_t start_ns, int64_t end_ns) {
  ContinuousReport report;
  report.device = series.device;
  report.interval_ns = static_cast<double>(series.interval_ns);
  for (const uint32_t samples : series.samples) report.samples += samples;
  if (series.rows() == 0) return report;
  if (end_ns <= start_ns) {
    start_ns = series.begin_ns.front();
    end_ns = *std::max_element(series.end_ns.begin(), series.end_ns.end());
  }
  const int64_t span_ns = end_ns - start_ns;
  const int64_t bucket_ns =
      std::max({(span_ns - 1) / kPmBuckets + 1, series.interval_ns, int64_t{1}});
  report.span_ns = static_cast<double>(span_ns);
  report.bucket_ns = static_cast<double>(bucket_ns);
  const Summary summary(series, start_ns, end_ns, bucket_ns);
  report.covered = summary.CoveredNs() / report.span_ns;
  for (size_t m = 0; m < series.metrics.size(); ++m) report.metrics.push_back(summary.Metric(m));
  return report;
}

}  // namespace prof::analyzer
