// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/triage.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "lib/capture/process/clock.h"
#include "lib/format/triage_metrics.h"

namespace prof::cupti {

Triage::Triage(const TriageSampler::Parts& parts, const SessionOptions& options)
    : watch_(parts.watch), sampler_(parts, options) {}

PmEvents Triage::Gather() {
  PmEvents events = sampler_.TakeEvents();
  const int64_t now_ns = capture::MonotonicNs();
  for (const capture::PmSeriesEvent& series : events.series) AddSeries(series);
  for (const capture::PmBatchEvent& batch : events.batches) AddBatch(batch, now_ns);
  for (int device = 0; device < TriageWatch::kMaxDevices; ++device) {
    watch_->Of(device)->Resolve(now_ns);
  }
  const uint64_t seen = watch_->TakeSeen();
  for (int device = 0; device < TriageWatch::kMaxDevices; ++device) {
    if ((seen >> device & 1) != 0) sampler_.PrepareLater(device);
  }
  return events;
}

void Triage::AddSeries(const capture::PmSeriesEvent& event) {
  Series series;
  series.device = static_cast<int>(event.device);
  std::transform(event.metrics.begin(), event.metrics.end(), std::back_inserter(series.unit),
                 [](const capture::PmMetric& metric) {
                   const format::TriageMetric* known = format::FindTriageMetric(metric.name);
                   return known == nullptr ? format::kTriageUnits
                                           : static_cast<size_t>(known->unit);
                 });
  series_.push_back(std::move(series));
}

void Triage::AddBatch(const capture::PmBatchEvent& batch, int64_t now_ns) {
  const Series& series = series_.at(batch.series - 1);
  TriageCoverage::Burst burst;
  burst.begin_ns = batch.begin_ns;
  burst.end_ns = batch.end_ns;
  TriageUse none;
  none.fill(std::numeric_limits<float>::quiet_NaN());
  burst.use.assign(batch.begin_ns.size(), none);
  for (size_t i = 0; i < burst.use.size(); ++i) {
    for (size_t m = 0; m < series.unit.size(); ++m) {
      if (series.unit[m] == format::kTriageUnits) continue;
      burst.use[i][series.unit[m]] = static_cast<float>(batch.values[i * series.unit.size() + m]);
    }
  }
  watch_->Of(series.device)->AddBurst(std::move(burst), now_ns);
}

std::vector<TriageCoverage::Decided> Triage::TakeDecided() {
  std::vector<TriageCoverage::Decided> decided;
  for (int device = 0; device < TriageWatch::kMaxDevices; ++device) {
    const auto of_device = watch_->Of(device)->TakeDecided();
    decided.insert(decided.end(), of_device.begin(), of_device.end());
  }
  return decided;
}

std::vector<KernelKey> Triage::TakeMet() {
  std::vector<KernelKey> met;
  for (int device = 0; device < TriageWatch::kMaxDevices; ++device) {
    const auto of_device = watch_->Of(device)->TakeMet();
    met.insert(met.end(), of_device.begin(), of_device.end());
  }
  return met;
}

double Triage::lacking() const {
  double most = 0;
  bool known = false;
  for (int device = 0; device < TriageWatch::kMaxDevices; ++device) {
    const TriageCoverage& coverage = *watch_->Of(device);
    if (coverage.bursts_resolved() == 0) continue;
    known = true;
    most = std::max(most, coverage.lacking());
  }
  return known ? most : 1;
}

}  // namespace prof::cupti
