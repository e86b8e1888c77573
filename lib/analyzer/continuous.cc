// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous.h"

#include <cmath>

#include "lib/analyzer/pm_attribution.h"
#include "lib/analyzer/pm_summary.h"
#include "lib/analyzer/units.h"

namespace prof::analyzer {
namespace {

// A value replaces none, and one that rests on less.
void Merge(const ContinuousValues& from, ContinuousValues* to) {
  for (const auto& [metric, value] : from) {
    const auto [it, added] = to->try_emplace(metric, value);
    if (added || (it->second.value && !value.value)) continue;
    if (!it->second.value || value.seconds > it->second.seconds) it->second = value;
  }
}

// The same range on several devices: their mean by time.
void Combine(const ContinuousValues& from, ContinuousValues* to) {
  for (const auto& [metric, value] : from) {
    const auto [it, added] = to->try_emplace(metric, value);
    ContinuousValue& sum = it->second;
    if (added || !value.value) continue;
    if (!sum.value) {
      sum = value;
      continue;
    }
    const double seconds = sum.seconds + value.seconds;
    if (!(seconds > 0)) continue;
    sum.value = (*sum.value * sum.seconds + *value.value * value.seconds) / seconds;
    sum.error = std::hypot(sum.error * sum.seconds, value.error * value.seconds) / seconds;
    sum.seconds = seconds;
    sum.samples += value.samples;
  }
}

}  // namespace

Continuous AttributeContinuous(const model::Model& model, const RangeFamilies& families,
                               const Timeline& timeline, KernelGroups* groups) {
  Continuous result;
  std::map<uint32_t, std::map<uint32_t, ContinuousValues>> of_path;  // by device
  std::map<uint32_t, ContinuousValues> idle;
  for (const model::PmSeries& series : model.pm_series) {
    if (series.rows() == 0) continue;
    int64_t start_ns = 0, end_ns = 0;
    for (const DeviceTimeline& device : timeline.devices) {
      if (device.device != series.device) continue;
      start_ns = device.start_ns;
      end_ns = device.end_ns;
    }
    const PmAttribution attribution(model, series, families, *groups);
    result.reports.push_back(SummarizePm(series, start_ns, end_ns));
    attribution.Describe(&result.reports.back());
    for (const auto& [path, values] : attribution.OfPaths()) {
      Merge(values, &of_path[path][series.device]);
    }
    const std::vector<PmEntity>& entities = attribution.work().entities;
    for (size_t i = 0; i < entities.size(); ++i) {
      if (entities[i].group == model::kNoIndex) continue;
      Merge(attribution.OfEntity(i), &groups->groups[entities[i].group].report.continuous);
    }
    Merge(attribution.Idle(), &idle[series.device]);
  }
  for (const auto& [path, devices] : of_path) {
    for (const auto& [device, values] : devices) Combine(values, &result.of_path[path]);
  }
  for (const auto& [device, values] : idle) Combine(values, &result.idle);
  return result;
}

bool IsPercentMetric(std::string_view metric) { return metric.find("pct") != metric.npos; }

std::optional<ContinuousDram> FindContinuousDram(const ContinuousValues& values) {
  const auto has = [](const std::string& metric, const char* part) {
    return metric.find(part) != metric.npos;
  };
  std::optional<ContinuousDram> reads, writes;
  for (const auto& [metric, value] : values) {
    if (!value.value || !has(metric, "dram") || !has(metric, "throughput") ||
        !has(metric, "pct_of_peak")) {
      continue;
    }
    const ContinuousDram found = {*value.value, value.error, metric};
    if (has(metric, "read")) {
      reads = found;
    } else if (has(metric, "write")) {
      writes = found;
    } else {
      return found;
    }
  }
  if (!reads || !writes) return std::nullopt;
  return ContinuousDram{reads->percent + writes->percent, reads->error + writes->error,
                        reads->metric + " + " + writes->metric};
}

std::string DescribeContinuous(const ContinuousValues& values) {
  const std::optional<ContinuousDram> dram = FindContinuousDram(values);
  if (!dram) return "";
  return "DRAM " + FormatFixed(dram->percent, 0) + " +-" + FormatFixed(dram->error, 1) +
         " % of peak (PM samples)";
}

}  // namespace prof::analyzer
