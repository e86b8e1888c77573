// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/sample_reader.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "cupti_backend/metrics/metric_levels.h"

namespace prof::cupti {
namespace {

void AddSampledClock(const Sample& sample, const PlannedGroup& group,
                     const std::vector<double>& values, SamplingPolicy* policy) {
  const auto at = std::find(group.metrics.begin(), group.metrics.end(), kClockMetric);
  if (at == group.metrics.end()) return;
  policy->AddClock(*sample.signature, values[static_cast<size_t>(at - group.metrics.begin())]);
}

// The sample in range `index` of the decoded ones; nullptr: not known.
const Sample* SampleOf(const ContextPlan& plan, const RangeProfiler& profiler,
                       const std::vector<Sample>& samples, size_t index, size_t ranges) {
  if (!profiler.names_ranges()) {
    // CUPTI never restarts its numbers of replayed kernels, so only their order is known; a dropped
    // kernel would shift it.
    return ranges == samples.size() ? &samples[index] : nullptr;
  }
  // By the name that was pushed, never by position.
  const std::string name =
      plan.evaluator->RangeName(profiler.counter_data(), profiler.counter_data_bytes(), index);
  char* end = nullptr;
  const unsigned long place = std::strtoul(name.c_str(), &end, 10);
  const bool known = !name.empty() && *end == '\0' && place < samples.size();
  return known ? &samples[place] : nullptr;
}

}  // namespace

std::vector<capture::CounterSampleEvent> ReadSamples(const ContextPlan& plan,
                                                     const PlannedGroup& group,
                                                     const RangeProfiler& profiler,
                                                     const std::vector<Sample>& samples,
                                                     size_t ranges, SamplingPolicy* policy) {
  std::vector<capture::CounterSampleEvent> events;
  for (size_t i = 0; i < ranges; ++i) {
    const Sample* const found = SampleOf(plan, profiler, samples, i, ranges);
    if (found == nullptr || found->spoilt) continue;
    const Sample& sample = *found;
    capture::CounterSampleEvent event;
    event.values = plan.evaluator->Evaluate(profiler.counter_data(), profiler.counter_data_bytes(),
                                            i, group.metrics);
    if (event.values.empty()) continue;
    AddSampledClock(sample, group, event.values, policy);
    event.unit = sample.unit;
    event.group = plan.first_group_id + sample.group;
    event.context = plan.context_id;
    event.correlation = sample.correlation;
    event.path = sample.path;
    event.begin_ns = sample.begin_ns;
    event.end_ns = sample.end_ns;
    events.push_back(std::move(event));
  }
  return events;
}

std::vector<PeakEvent> PeaksIn(const PlannedGroup& group, int device,
                               const std::vector<double>& values) {
  constexpr std::string_view kSuffix = ".peak_sustained";
  std::vector<PeakEvent> peaks;
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string& metric = group.metrics[i];
    const bool peak = metric.size() > kSuffix.size() &&
                      metric.compare(metric.size() - kSuffix.size(), kSuffix.size(), kSuffix) == 0;
    if (peak && values[i] > 0) peaks.push_back({device, metric, values[i]});
  }
  return peaks;
}

}  // namespace prof::cupti
