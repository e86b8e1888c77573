// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/pass_planner.h"

#include <utility>

namespace prof::cupti {

PassPlan PlanPasses(const MetricHost& host, const std::vector<MetricTier>& tiers) {
  PassPlan plan;
  for (const MetricTier& tier : tiers) {
    const size_t first = plan.groups.size();
    for (const std::string& metric : tier.metrics) {
      if (!host.Knows(metric)) {
        plan.left_out.push_back(metric + ": not a metric of " + host.chip());
        continue;
      }
      std::vector<uint8_t> image;
      const size_t alone = host.Passes({metric}, &image);
      if (alone != 1) {
        plan.left_out.push_back(
            metric + (alone == 0 ? ": rejected by CUPTI (is the suffix right?)"
                                 : ": needs " + std::to_string(alone) + " passes by itself"));
        continue;
      }
      bool placed = false;
      for (size_t i = first; i < plan.groups.size() && !placed; ++i) {
        PlannedGroup& group = plan.groups[i];
        group.metrics.push_back(metric);
        std::vector<uint8_t> joint_image;
        placed = host.Passes(group.metrics, &joint_image) == 1;
        if (placed) {
          group.config_image = std::move(joint_image);
        } else {
          group.metrics.pop_back();
        }
      }
      if (!placed) plan.groups.push_back({tier.name, {metric}, std::move(image)});
    }
  }
  return plan;
}

}  // namespace prof::cupti
