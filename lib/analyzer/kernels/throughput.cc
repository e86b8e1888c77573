// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/kernels/throughput.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "lib/analyzer/base/metrics.h"

namespace prof::analyzer {
namespace {

constexpr std::string_view kSm = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr std::string_view kMemory =
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";

Throughput Maximum(const model::Throughput& wanted, const Metrics& metrics) {
  Throughput found;
  found.metric = wanted.metric;
  for (const std::string& part : wanted.parts) {
    const std::optional<double> percent = MedianIn(metrics, part);
    if (!percent) {
      found.missing.push_back(part);
    } else if (found.largest.empty() || *percent / 100 > found.of_peak) {
      found.of_peak = *percent / 100;
      found.largest = part;
    }
  }
  found.missing.insert(found.missing.end(), wanted.missing.begin(), wanted.missing.end());
  return found;
}

}  // namespace

SpeedOfLight FindSpeedOfLight(const std::vector<const model::Throughput*>& throughputs,
                              const Metrics& metrics) {
  SpeedOfLight light;
  for (const model::Throughput* wanted : throughputs) {
    const bool known =
        std::any_of(light.throughputs.begin(), light.throughputs.end(),
                    [&](const Throughput& other) { return other.metric == wanted->metric; });
    if (known) continue;
    Throughput found = Maximum(*wanted, metrics);
    if (found.largest.empty()) continue;
    if (found.metric == kSm) light.sm_sol = found.of_peak;
    if (found.metric == kMemory) light.memory_sol = found.of_peak;
    light.throughputs.push_back(std::move(found));
  }
  return light;
}

}  // namespace prof::analyzer
