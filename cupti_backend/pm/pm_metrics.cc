// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/pm/pm_metrics.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace prof::cupti {
namespace {

constexpr const char* kOfPeak = ".avg.pct_of_peak_sustained_elapsed";

struct Unit {
  const char* name;
  bool cheapest;
  std::array<std::string_view, 4> metrics;  // by preference, the rest empty
};

// The Triage counters of GH100 and GB100 have half the instances of the plain ones, which halves
// the cost of decoding; the *_realtime ones exist from GA100 on.
constexpr Unit kUnits[] = {
    {"DRAM",
     true,
     {"FBSP.TriageCompute.dramc__throughput", "dram__throughput", "dramc__throughput",
      "gpu__dram_throughput"}},
    {"L2",
     false,
     {"LTS.TriageCompute.lts__t_sector_throughput", "lts__t_sectors", "lts__throughput"}},
    {"SM issue",
     false,
     {"TPC.TriageCompute.sm__inst_executed_realtime", "sm__inst_executed_realtime",
      "sm__issue_active", "sm__inst_issued"}},
    {"tensor",
     false,
     {"TPC.TriageCompute.sm__pipe_tensor_cycles_active_realtime",
      "sm__pipe_tensor_cycles_active_realtime", "sm__pipe_tensor_cycles_active"}},
};

}  // namespace

PmPlan PlanPmSampling(const MetricHost& host, bool dram_only) {
  PmPlan plan;
  for (const Unit& unit : kUnits) {
    if (dram_only && !unit.cheapest) continue;
    bool found = false;
    for (const std::string_view base : unit.metrics) {
      if (base.empty()) break;
      std::vector<std::string> joint = plan.metrics;
      joint.push_back(std::string(base) + kOfPeak);
      std::vector<uint8_t> image;
      if (!host.Knows(joint.back()) || host.Passes(joint, &image) != 1) continue;
      plan.metrics = std::move(joint);
      plan.config_image = std::move(image);
      found = true;
      break;
    }
    if (!found) plan.left_out += (plan.left_out.empty() ? "" : ", ") + std::string(unit.name);
  }
  return plan;
}

}  // namespace prof::cupti
