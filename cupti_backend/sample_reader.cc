// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sample_reader.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "cupti_backend/metric_tiers.h"

namespace prof::cupti {
namespace {

void NoteClock(const Sample& sample, const PlannedGroup& group, const std::vector<double>& values,
               SampleSchedule* schedule) {
  const auto at = std::find(group.metrics.begin(), group.metrics.end(), kClockMetric);
  if (at == group.metrics.end()) return;
  schedule->NoteClock(*sample.signature, values[static_cast<size_t>(at - group.metrics.begin())]);
}

}  // namespace

std::vector<capture::CounterSampleEvent> ReadSamples(const SampledContext& context, size_t ranges,
                                                     SampleSchedule* schedule) {
  const ContextPlan& plan = context.plan;
  const PlannedGroup& group = plan.passes->groups[static_cast<size_t>(context.active.load())];
  const uint8_t* image = context.profiler->counter_data();
  const size_t bytes = context.profiler->counter_data_bytes();
  std::vector<capture::CounterSampleEvent> events;
  for (size_t i = 0; i < ranges; ++i) {
    // By the name that was pushed, never by position: a dropped range would shift all others.
    const std::string name = plan.evaluator->RangeName(image, bytes, i);
    char* end = nullptr;
    const unsigned long slot = std::strtoul(name.c_str(), &end, 10);
    if (name.empty() || *end != '\0' || slot >= context.samples.size()) continue;
    const Sample& sample = context.samples[slot];
    capture::CounterSampleEvent event;
    event.values = plan.evaluator->Evaluate(image, bytes, i, group.metrics);
    if (event.values.empty()) continue;
    NoteClock(sample, group, event.values, schedule);
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
