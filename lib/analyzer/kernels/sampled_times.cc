// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/kernels/sampled_times.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "lib/analyzer/base/statistics.h"
#include "lib/analyzer/base/thresholds.h"
#include "lib/text/numbers.h"

namespace prof::analyzer {
namespace {

// "the pass group of dram__bytes_read.sum (n=3)"
std::string GroupText(const model::Model& model, uint32_t group, int64_t n) {
  const std::vector<std::string>& metrics = model.groups[group].metrics;
  return "the pass group of " + (metrics.empty() ? std::string("no metric") : metrics.front()) +
         " (n=" + text::Count(n) + ')';
}

}  // namespace

void SampledTimes::Add(uint32_t group, double work_ns, double clock_hz) {
  reads_.push_back({group, work_ns, clock_hz});
}

KernelClock SampledTimes::Summary(const model::Model& model) const {
  std::vector<double> times_ns, clocks_hz, cycles;
  for (const Read& read : reads_) {
    times_ns.push_back(read.ns);
    if (!std::isfinite(read.hz) || !(read.hz > 0)) continue;
    clocks_hz.push_back(read.hz);
    cycles.push_back(read.cycles());
  }
  KernelClock clock;
  clock.sampled_ns = Summarize(times_ns.begin(), times_ns.end());
  clock.sampled_hz = Summarize(clocks_hz.begin(), clocks_hz.end());
  clock.sampled_cycles = Summarize(cycles.begin(), cycles.end());
  clock.groups_differ = Differences(model, cycles.size() == reads_.size());
  return clock;
}

std::vector<std::string> SampledTimes::Differences(const model::Model& model,
                                                   bool in_cycles) const {
  std::map<uint32_t, std::vector<double>> by_group;
  for (const Read& read : reads_) {
    by_group[read.group].push_back(in_cycles ? read.cycles() : read.ns);
  }
  if (by_group.size() < 2) return {};
  std::map<uint32_t, Statistic> groups;
  for (auto& [id, values] : by_group) groups[id] = Summarize(values.begin(), values.end());
  const auto by_median = [](const auto& a, const auto& b) {
    return a.second.median < b.second.median;
  };
  const auto [low, high] = std::minmax_element(groups.begin(), groups.end(), by_median);
  const Statistic& least = low->second;
  const Statistic& most = high->second;
  const double share = most.median / least.median - 1;
  std::vector<double> times_ns;
  for (const Read& read : reads_) times_ns.push_back(read.ns);
  const double typical_ns = Summarize(times_ns.begin(), times_ns.end()).median;
  if (!(share > kDurationSpread) || share * typical_ns <= kRangeStartNs) return {};
  if (least.max >= most.min) return {};
  const auto amount = [&](double value) {
    return in_cycles ? text::Grouped(value, 0) + " cycles" : text::Time(value);
  };
  return {GroupText(model, high->first, most.n) + " took " + amount(most.median) + ", " +
          GroupText(model, low->first, least.n) + ' ' + amount(least.median)};
}

}  // namespace prof::analyzer
