// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/continuous.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "lib/analyzer/continuous/pm_attribution.h"
#include "lib/analyzer/continuous/pm_summary.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

// Of the values by several series the one with the smallest error stays, and of the reasons the one
// with most time.
void Merge(const ContinuousValues& from, ContinuousValues* to) {
  for (const auto& [metric, value] : from) {
    const auto [it, added] = to->try_emplace(metric, value);
    ContinuousValue& kept = it->second;
    if (added || (kept.value && !value.value)) continue;
    const bool is_better = value.value && kept.value ? value.error < kept.error
                           : value.value             ? true
                                                     : value.seconds > kept.seconds;
    if (is_better) kept = value;
  }
}

// A range on several devices gets the mean of its values, weighted by time.
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

// Series that determine their clock best come first: others of their device may need it.
std::vector<const model::PmSeries*> ByClockQuality(const std::vector<model::PmSeries>& all) {
  std::vector<const model::PmSeries*> series;
  for (const model::PmSeries& one : all) {
    if (one.rows() > 0) series.push_back(&one);
  }
  std::stable_sort(
      series.begin(), series.end(), [](const model::PmSeries* a, const model::PmSeries* b) {
        return std::pair(a->metrics.size(), a->rows()) > std::pair(b->metrics.size(), b->rows());
      });
  return series;
}

// Series that cover less of the span are of chosen times: where something new ran.
constexpr double kSteady = 0.5;

std::string InBursts(const ContinuousReport& report) {
  return "Samples were taken in " + text::ShortPercent(report.covered) +
         " of the span: means and percentiles are of that time, not of the run.";
}

}  // namespace

Continuous AttributeContinuous(const model::Model& model, const RangeFamilies& families,
                               const Timeline& timeline, const KernelGroups& groups) {
  Continuous result;
  result.of_group.resize(groups.groups.size());
  std::map<uint32_t, std::map<uint32_t, ContinuousValues>> of_path;  // by device
  std::map<uint32_t, ContinuousValues> idle;
  std::map<uint32_t, PmDeviceClock> clocks;
  std::map<const model::PmSeries*, ContinuousReport> reports;  // in the order of the recording
  // False: neither this series nor one before it gives the clock's offset, and `may_wait`.
  const auto attribute = [&](const model::PmSeries& series, bool may_wait) {
    int64_t start_ns = 0, end_ns = 0;
    for (const DeviceTimeline& device : timeline.devices) {
      if (device.device != series.device) continue;
      start_ns = device.start_ns;
      end_ns = device.end_ns;
    }
    PmDeviceClock& clock = clocks[series.device];
    const PmAttribution attribution(model, series, families, groups, clock.offset());
    if (const std::optional<PmOffset> own = attribution.own_offset()) clock.Add(*own);
    if (!clock.offset() && may_wait) return false;
    ContinuousReport& report = reports[&series] = SummarizePm(series, start_ns, end_ns);
    attribution.Describe(&report);
    if (report.covered < kSteady) report.notes.push_back(InBursts(report));
    for (const auto& [path, values] : attribution.OfPaths()) {
      Merge(values, &of_path[path][series.device]);
    }
    const std::vector<PmEntity>& entities = attribution.work().entities;
    for (size_t i = 0; i < entities.size(); ++i) {
      if (entities[i].group == model::kNoIndex) continue;
      Merge(attribution.OfEntity(i), &result.of_group[entities[i].group]);
    }
    Merge(attribution.Idle(), &idle[series.device]);
    return true;
  };
  std::vector<const model::PmSeries*> waiting;
  for (const model::PmSeries* const series : ByClockQuality(model.pm_series)) {
    if (!attribute(*series, model.pm_series.size() > 1)) waiting.push_back(series);
  }
  for (const model::PmSeries* const series : waiting) attribute(*series, false);
  for (auto& [series, report] : reports) result.reports.push_back(std::move(report));
  for (const auto& [path, devices] : of_path) {
    for (const auto& [device, values] : devices) Combine(values, &result.of_path[path]);
  }
  for (const auto& [device, values] : idle) Combine(values, &result.idle);
  return result;
}

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
    const ContinuousDram found = {value, metric};
    if (has(metric, "read")) {
      reads = found;
    } else if (has(metric, "write")) {
      writes = found;
    } else {
      return found;
    }
  }
  if (!reads || !writes) return std::nullopt;
  reads->value.value = *reads->value.value + *writes->value.value;
  reads->value.error += writes->value.error;
  reads->metric += " + " + writes->metric;
  return reads;
}

}  // namespace prof::analyzer
