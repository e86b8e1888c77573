// SPDX-License-Identifier: Apache-2.0
//
// Metrics into groups that need one pass each, so that one launch answers a whole group and
// nothing is ever replayed.
#ifndef PROF_CUPTI_BACKEND_PASS_PLANNER_H_
#define PROF_CUPTI_BACKEND_PASS_PLANNER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cupti_backend/metric_host.h"
#include "cupti_backend/metric_tiers.h"

namespace prof::cupti {

struct PlannedGroup {
  std::string tier;
  std::vector<std::string> metrics;  // kWindowMetric first
  std::vector<uint8_t> config_image;
};

struct PassPlan {
  std::vector<PlannedGroup> groups;
  // Metrics that cannot be sampled, with the reason: not on this chip, or more than one pass.
  std::vector<std::string> left_out;
};

// Takes each group of the tiers as it stands when the chip reads it in one pass, and else packs its
// metrics first fit into groups that it does. About 2 ms for each question to CUPTI: one per group
// where the tiers fit the chip (GH100), one per metric and group where they do not.
PassPlan PlanPasses(const MetricHost& host, const std::vector<MetricTier>& tiers);

// All metrics of the tiers in one group, whatever number of passes that is: for kernels that are
// run again for each.
PassPlan PlanReplay(const MetricHost& host, const std::vector<MetricTier>& tiers);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_PASS_PLANNER_H_
