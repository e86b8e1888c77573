// SPDX-License-Identifier: Apache-2.0
#include "lib/analyzer/kernels/stalls.h"

#include <algorithm>
#include <optional>
#include <string>

#include "lib/analyzer/base/metrics.h"

namespace prof::analyzer {
namespace {

constexpr std::string_view kStallReasons[] = {"barrier",
                                              "branch_resolving",
                                              "dispatch_stall",
                                              "drain",
                                              "gmma",
                                              "imc_miss",
                                              "lg_throttle",
                                              "long_scoreboard",
                                              "membar",
                                              "misc",
                                              "math_pipe_throttle",
                                              "mio_throttle",
                                              "no_instruction",
                                              "not_selected",
                                              "selected",
                                              "short_scoreboard",
                                              "sleeping",
                                              "tex_throttle",
                                              "wait"};

bool IsStall(std::string_view reason) { return reason != "selected" && reason != "not_selected"; }

// Cycles of a warp from one of its instructions to the next: what all reasons add up to.
std::optional<double> WarpLatency(const Metrics& metrics) {
  if (auto measured = UsableMedian(metrics, "smsp__average_warp_latency_per_inst_issued.ratio")) {
    return measured;
  }
  const auto warps = UsableMedian(metrics, "smsp__warps_active.avg.per_cycle_active");
  const auto issued = UsableMedian(metrics, "smsp__issue_active.avg.per_cycle_active");
  if (!warps || !issued || !(*issued > 0)) return std::nullopt;
  return *warps / *issued;
}

}  // namespace

std::vector<std::string_view> StallReasons() {
  std::vector<std::string_view> reasons;
  for (const std::string_view reason : kStallReasons) {
    if (IsStall(reason)) reasons.push_back(reason);
  }
  return reasons;
}

std::vector<Stall> FindStalls(const Metrics& metrics) {
  std::vector<Stall> stalls;
  double sum = 0;
  for (const std::string_view reason : kStallReasons) {
    const std::optional<double> cycles =
        UsableMedian(metrics, "smsp__average_warps_issue_stalled_" + std::string(reason) +
                                  "_per_issue_active.ratio");
    if (!cycles) continue;
    sum += *cycles;
    stalls.push_back({reason, 0, *cycles});
  }
  const std::optional<double> measured = WarpLatency(metrics);
  if (!measured) return {};
  // The reasons come from other passes than the latency; their sum can exceed it a little.
  const double latency = std::max(sum, *measured);
  if (!(latency > 0)) return {};
  for (Stall& stall : stalls) stall.share = stall.cycles / latency;
  stalls.erase(std::remove_if(stalls.begin(), stalls.end(),
                              [](const Stall& stall) { return !IsStall(stall.reason); }),
               stalls.end());
  std::stable_sort(stalls.begin(), stalls.end(),
                   [](const Stall& a, const Stall& b) { return a.share > b.share; });
  if (!stalls.empty() && stalls.front().cycles < latency - sum) return {};
  return stalls;
}

}  // namespace prof::analyzer
