// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/kernels/untraced_launches.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>
#include <tuple>

#include "lib/analyzer/kernels/counter_window.h"
#include "lib/format/metric_names.h"

namespace prof::analyzer {
namespace {

constexpr double kMostNs = 1e14;  // a day: the launches of one kernel do not take longer

}  // namespace

bool HasResources(const model::Shape& shape) { return shape.registers_per_thread != 0; }

std::vector<uint32_t> JoinShapes(const model::Model& model) {
  using Size = std::array<uint32_t, 3>;
  const auto launch = [](const model::Shape& shape) {
    return std::tuple<std::string_view, Size, Size, uint32_t>(shape.name, shape.grid, shape.block,
                                                              shape.dynamic_shared_bytes);
  };
  std::vector<uint32_t> result(model.shapes.size());
  std::iota(result.begin(), result.end(), 0);
  std::vector<bool> traced(model.shapes.size(), true);
  for (const model::Op& op : model.ops) {
    if (op.untraced) traced[op.shape] = false;
  }
  if (std::find(traced.begin(), traced.end(), false) == traced.end()) return result;
  for (const model::Op& op : model.ops) {
    if (!op.untraced) traced[op.shape] = true;
  }
  std::map<std::tuple<std::string_view, Size, Size, uint32_t>, uint32_t> recorded;
  for (uint32_t id = 1; id < model.shapes.size(); ++id) {
    if (traced[id]) recorded.try_emplace(launch(model.shapes[id]), id);
  }
  for (uint32_t id = 1; id < model.shapes.size(); ++id) {
    if (traced[id]) continue;
    const auto known = recorded.find(launch(model.shapes[id]));
    if (known != recorded.end()) result[id] = known->second;
  }
  return result;
}

KernelGroups TimeByCounters(KernelGroups groups, const CountedKernels& counted) {
  for (size_t g = 0; g < groups.groups.size(); ++g) {
    KernelGroup& group = groups.groups[g];
    KernelLaunches& kernel = group.launches;
    const Statistic* const time = counted.of_group[g].counters.Find(format::kWindowMetric);
    if (kernel.duration_ns.n > 0 || time == nullptr || !(time->median > 0)) continue;
    if (time->median * static_cast<double>(kernel.launches) > kMostNs) continue;
    kernel.duration_from_counters = true;
    kernel.duration_ns = *time;
    group.exclusive_ns = std::llround(time->median) * kernel.launches;
    group.undisturbed_ns = group.exclusive_ns;
    kernel.total_ns = static_cast<double>(group.exclusive_ns);
  }
  return groups;
}

std::map<uint32_t, int64_t> UntracedTimes(const KernelGroups& groups) {
  std::map<uint32_t, int64_t> times_ns;
  for (const KernelGroup& group : groups.groups) {
    if (group.launches.duration_from_counters) times_ns[group.device] += group.exclusive_ns;
  }
  return times_ns;
}

}  // namespace prof::analyzer
