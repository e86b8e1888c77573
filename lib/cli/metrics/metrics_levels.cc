// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/metrics/metrics_levels.h"

#include <algorithm>
#include <iterator>

namespace prof::cli {
namespace {

constexpr MetricLevel kLevels[] = {
    {"pulse", "--counters pulse", "DRAM, L2, issue slots, tensor pipe, occupancy, clocks"},
    {"sol", "--counters sol",
     "DRAM, L2, L1, pipes, issue, occupancy, clocks, most of the speed of light"},
    {"stalls", "--counters stalls", "why warps wait, threads per instruction"},
    {"memory", "--counters all",
     "sectors, requests, bank conflicts, hit rates, local memory, atomics"},
    {"tensor", "--counters all", "tensor operations by type"},
    {"speed-of-light", "--counters all",
     "the rest of Nsight Compute's sm__ and gpu__compute_memory_throughput"}};

constexpr MetricLevel kOwnList = {"user", "--metrics", "your own list"};

}  // namespace

const MetricLevel* LevelNamed(std::string_view name) {
  const MetricLevel* const found =
      std::find_if(std::begin(kLevels), std::end(kLevels),
                   [&](const MetricLevel& level) { return name == level.name; });
  return found == std::end(kLevels) ? nullptr : found;
}

const MetricLevel& LevelOrOwnList(std::string_view name) {
  const MetricLevel* const level = LevelNamed(name);
  return level != nullptr ? *level : kOwnList;
}

std::string LevelNames() {
  std::string names;
  for (const MetricLevel& level : kLevels) {
    names += (names.empty() ? "" : ", ") + std::string(level.name);
  }
  return names;
}

double SampleCostNs(const cupti::CatalogueLevel& level) {
  double cost = 0;
  for (const cupti::CatalogueGroup& group : level.groups) {
    cost += static_cast<double>(group.sample_cost_ns);
  }
  return cost;
}

}  // namespace prof::cli
