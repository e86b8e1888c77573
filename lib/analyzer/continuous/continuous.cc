// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/continuous/continuous.h"

#include <algorithm>
#include <cmath>
#include <memory>
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
    const double own = sum.error * sum.seconds;
    const double added_error = value.error * value.seconds;
    sum.error = std::sqrt(own * own + added_error * added_error) / seconds;
    sum.seconds = seconds;
    sum.samples += value.samples;
  }
}

// Series that cover less of the span are of chosen times: where something new ran.
constexpr double kSteady = 0.5;

std::string InBursts(const ContinuousReport& report) {
  return "Samples were taken in " + text::ShortPercent(report.covered) +
         " of the span, fewer where the GPU was idle: means and percentiles are of these samples, "
         "not of "
         "the run.";
}

using Attributions = std::vector<std::unique_ptr<PmAttribution>>;

std::map<uint32_t, Attributions> ByDevice(const model::Model& model, const RangeFamilies& families,
                                          const KernelGroups& groups) {
  std::map<uint32_t, Attributions> devices;
  for (const model::PmSeries& series : model.pm_series) {
    if (series.rows() == 0) continue;
    devices[series.device].push_back(
        std::make_unique<PmAttribution>(model, series, families, groups));
  }
  return devices;
}

// Of the device's operations; zeros without any.
std::pair<int64_t, int64_t> SpanOf(const Timeline& timeline, uint32_t device) {
  for (const DeviceTimeline& one : timeline.devices) {
    if (one.device == device) return {one.start_ns, one.end_ns};
  }
  return {0, 0};
}

}  // namespace

Continuous AttributeContinuous(const model::Model& model, const RangeFamilies& families,
                               const Timeline& timeline, const KernelGroups& groups) {
  Continuous result;
  result.of_group.resize(groups.groups.size());
  result.courses.resize(groups.groups.size());
  std::map<uint32_t, std::map<uint32_t, ContinuousValues>> of_path;  // by device
  std::map<uint32_t, ContinuousValues> idle;
  std::map<const model::PmSeries*, ContinuousReport> reports;  // in the order of the recording
  for (auto& [device, attributions] : ByDevice(model, families, groups)) {
    std::vector<const PmProblem*> problems;
    for (const auto& one : attributions) problems.push_back(&one->rates_only());
    const PmDeviceClock clock = FindPmDeviceClock(problems);
    const auto [start_ns, end_ns] = SpanOf(timeline, device);
    std::optional<OtherWork> most;  // by the series with most idle time
    for (size_t i = 0; i < attributions.size(); ++i) {
      PmAttribution& attribution = *attributions[i];
      attribution.Solve(clock, clock.shows[i]);
      const model::PmSeries& series = attribution.series();
      ContinuousReport& report = reports[&series] = SummarizePm(series, start_ns, end_ns);
      attribution.Describe(&report);
      if (report.covered < kSteady) report.notes.push_back(InBursts(report));
      for (const auto& [path, values] : attribution.OfPaths()) {
        Merge(values, &of_path[path][device]);
      }
      const std::vector<PmEntity>& entities = attribution.work().entities;
      std::vector<LaunchCourse> courses = attribution.Courses();
      for (size_t e = 0; e < entities.size(); ++e) {
        if (entities[e].group == model::kNoIndex) continue;
        Merge(attribution.OfEntity(e), &result.of_group[entities[e].group]);
        LaunchCourse& course = result.courses[entities[e].group];
        if (courses[e].samples > course.samples) course = std::move(courses[e]);
      }
      Merge(attribution.Idle(), &idle[device]);
      const std::optional<OtherWork> other = FindOtherWork(model, series, clock);
      if (other && (!most || other->seconds > most->seconds)) most = other;
      attributions[i].reset();  // a fit of hundreds of columns takes many megabytes
    }
    if (most) result.other_work.push_back(*most);
  }
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
