// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/kernels/samples.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "lib/analyzer/base/metrics.h"
#include "lib/analyzer/base/statistics.h"
#include "lib/analyzer/kernels/counter_window.h"
#include "lib/analyzer/kernels/roofline.h"
#include "lib/analyzer/kernels/sampled_times.h"
#include "lib/analyzer/kernels/throughput.h"
#include "lib/format/metric_names.h"
#include "lib/text/numbers.h"
#include "lib/text/strings.h"

namespace prof::analyzer {
namespace {

using model::CounterSample;

// A sample at another clock is a sample of another machine.
constexpr double kMaxClockDeviation = 0.03;
// Nothing runs above its peak; up to here it is rounding.
constexpr double kMaxPercent = 100.5;

bool OfPeak(std::string_view metric) { return text::Contains(metric, ".pct_of_peak_sustained"); }

// The values of one metric; the impossible ones are kept separately.
struct Values {
  std::vector<double> usable, impossible;
  std::vector<double> of_window;  // of windows that are longer than the work, nobody knows how much
  void Add(std::string_view metric, double value) {
    if (!std::isfinite(value)) return;
    const bool percent = OfPeak(metric) || text::EndsWith(metric, ".pct");
    (percent && value > kMaxPercent ? impossible : usable).push_back(value);
  }
};

std::string Impossible(const std::string& metric, const Values& values) {
  const double worst = *std::max_element(values.impossible.begin(), values.impossible.end());
  const size_t all = values.impossible.size() + values.usable.size();
  return metric + " read above " + (OfPeak(metric) ? "the device's peak" : "100 %") + " (" +
         text::Fixed(worst, 1) + " %) in " + text::Count(values.impossible.size()) + " of " +
         text::Plural(all, "sample", "samples") + ": not used";
}

// Nobody may use a rate above the peak.
void DropImpossibleTraffic(const model::Device* device, CombinedSamples* samples) {
  const std::optional<double> rate = MedianIn(samples->metrics, format::kDramRateMetric);
  const std::optional<double> peak = DramPeakOf(samples->metrics, device);
  if (!rate || !peak || *rate <= *peak * kPeakTolerance) return;
  samples->notes.push_back(AbovePeak(std::string(format::kDramRateMetric), *rate, *peak));
  samples->metrics.erase(std::string(format::kDramRateMetric));
}

}  // namespace

SampleCombiner::SampleCombiner(const model::Model& model)
    : model_(model), clock_at_(model.groups.size(), -1) {
  for (size_t g = 0; g < model.groups.size(); ++g) {
    const std::vector<std::string>& metrics = model.groups[g].metrics;
    const auto it = std::find(metrics.begin(), metrics.end(), format::kSmClockMetric);
    if (it != metrics.end()) clock_at_[g] = it - metrics.begin();
  }
}

CombinedSamples SampleCombiner::Combine(const std::vector<WorkSample>& samples,
                                        const model::Device* device) const {
  CombinedSamples result;
  const double clock_hz = MedianClock(samples);
  std::map<std::string, Values, std::less<>> values;
  std::set<uint32_t> read_groups;
  SampledTimes times;
  for (const auto& [sample, work_ns] : samples) {
    if (std::abs(Clock(*sample) - clock_hz) > kMaxClockDeviation * clock_hz) {
      ++result.at_other_clock;
      continue;
    }
    ++result.used;
    read_groups.insert(sample->group);
    const std::vector<std::string>& metrics = model_.groups[sample->group].metrics;
    const bool timed = work_ns > 0;
    if (timed) times.Add(sample->group, work_ns, Clock(*sample));
    const double window_over_work =
        WindowOverWork(ValueOf(model_, *sample, format::kWindowMetric), work_ns);
    for (size_t i = 0; i < metrics.size(); ++i) {
      const double value = AtKernelTime(metrics[i], sample->values[i], window_over_work);
      Values& read = values[metrics[i]];
      if (timed || !DependsOnWindow(metrics[i])) {
        read.Add(metrics[i], value);
      } else {
        read.of_window.push_back(value);
      }
    }
  }
  result.clock = times.Summary(model_);
  for (auto& [metric, read] : values) {
    if (!read.usable.empty() || !read.impossible.empty()) continue;
    for (const double value : read.of_window) read.Add(metric, value);
  }
  for (auto& [metric, read] : values) {
    if (!read.impossible.empty()) result.notes.push_back(Impossible(metric, read));
    if (read.usable.empty()) continue;
    result.metrics.emplace(metric, Summarize(read.usable.begin(), read.usable.end()));
  }
  DropImpossibleTraffic(device, &result);
  std::vector<const model::Throughput*> throughputs;
  for (const uint32_t group : read_groups) {
    for (const model::Throughput& entry : model_.groups[group].throughputs) {
      throughputs.push_back(&entry);
    }
  }
  result.speed_of_light = FindSpeedOfLight(throughputs, result.metrics);
  return result;
}

// NaN when the sample's pass does not hold the clock: comparisons with it are false.
double SampleCombiner::Clock(const CounterSample& sample) const {
  const ptrdiff_t at = clock_at_[sample.group];
  return at < 0 ? std::nan("") : sample.values[static_cast<size_t>(at)];
}

double SampleCombiner::MedianClock(const std::vector<WorkSample>& samples) const {
  std::vector<double> clocks;
  for (const WorkSample& entry : samples) {
    if (std::isfinite(Clock(*entry.sample))) clocks.push_back(Clock(*entry.sample));
  }
  return Summarize(clocks.begin(), clocks.end()).median;
}

double ValueOf(const model::Model& model, const CounterSample& sample, const char* metric) {
  const std::vector<std::string>& metrics = model.groups[sample.group].metrics;
  const auto it = std::find(metrics.begin(), metrics.end(), metric);
  return it == metrics.end() ? std::nan("")
                             : sample.values[static_cast<size_t>(it - metrics.begin())];
}

}  // namespace prof::analyzer
