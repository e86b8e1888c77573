// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/pass_planner.h"

#include <algorithm>
#include <utility>

namespace prof::cupti {
namespace {

// `metrics` as one group when they need one pass; an empty tier says that they do not.
PlannedGroup TryGroup(const MetricHost& host, const std::string& tier,
                      std::vector<std::string> metrics) {
  metrics.erase(std::remove(metrics.begin(), metrics.end(), kWindowMetric), metrics.end());
  metrics.insert(metrics.begin(), kWindowMetric);
  std::vector<uint8_t> image;
  if (host.Passes(metrics, &image) != 1) return {};
  return {tier, std::move(metrics), std::move(image)};
}

// First fit of single metrics, among the groups that `plan` got from `first` on.
void PackOneByOne(const MetricHost& host, const std::string& tier,
                  const std::vector<std::string>& metrics, size_t first, PassPlan* plan) {
  for (const std::string& metric : metrics) {
    PlannedGroup alone = TryGroup(host, tier, {metric});
    if (alone.tier.empty()) {
      const size_t passes = host.Passes({metric}, nullptr);
      plan->left_out.push_back(
          metric + (passes == 0 ? ": rejected by CUPTI (is the suffix right?)"
                                : ": needs " + std::to_string(std::max<size_t>(passes, 2)) +
                                      " passes, more than one launch can give"));
      continue;
    }
    bool placed = false;
    for (size_t i = first; i < plan->groups.size() && !placed; ++i) {
      std::vector<std::string> joint = plan->groups[i].metrics;
      joint.push_back(metric);
      PlannedGroup group = TryGroup(host, tier, std::move(joint));
      placed = !group.tier.empty();
      if (placed) plan->groups[i] = std::move(group);
    }
    if (!placed) plan->groups.push_back(std::move(alone));
  }
}

}  // namespace

PassPlan PlanPasses(const MetricHost& host, const std::vector<MetricTier>& tiers) {
  PassPlan plan;
  for (const MetricTier& tier : tiers) {
    for (const MetricGroup& wanted : tier.groups) {
      std::vector<std::string> known;
      for (const std::string& metric : wanted) {
        if (host.Knows(metric)) {
          known.push_back(metric);
        } else {
          plan.left_out.push_back(metric + ": not a metric of " + host.chip());
        }
      }
      if (known.empty()) continue;
      PlannedGroup whole = TryGroup(host, tier.name, known);
      if (!whole.tier.empty()) {
        plan.groups.push_back(std::move(whole));
      } else {
        PackOneByOne(host, tier.name, known, plan.groups.size(), &plan);
      }
    }
  }
  return plan;
}

PassPlan PlanReplay(const MetricHost& host, const std::vector<MetricTier>& tiers) {
  PassPlan plan;
  PlannedGroup all;
  all.tier = "replay";
  for (const MetricTier& tier : tiers) {
    for (const MetricGroup& group : tier.groups) {
      for (const std::string& metric : group) {
        if (!host.Knows(metric)) {
          plan.left_out.push_back(metric + ": not a metric of " + host.chip());
        } else if (host.Passes({metric}, nullptr) == 0) {
          plan.left_out.push_back(metric + ": rejected by CUPTI (is the suffix right?)");
        } else if (std::find(all.metrics.begin(), all.metrics.end(), metric) == all.metrics.end()) {
          all.metrics.push_back(metric);
        }
      }
    }
  }
  if (all.metrics.empty()) return plan;
  all.metrics.insert(all.metrics.begin(), kWindowMetric);
  if (host.Passes(all.metrics, &all.config_image) == 0) {
    plan.left_out.push_back("CUPTI rejects the metrics together");
    return plan;
  }
  plan.groups.push_back(std::move(all));
  return plan;
}

}  // namespace prof::cupti
