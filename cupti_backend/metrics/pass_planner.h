// SPDX-License-Identifier: Apache-2.0
//
// Metrics into groups that need one pass each, so that one launch answers a whole group and
// nothing is ever replayed.
#ifndef PROF_CUPTI_BACKEND_METRICS_PASS_PLANNER_H_
#define PROF_CUPTI_BACKEND_METRICS_PASS_PLANNER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cupti_backend/metrics/metric_cost.h"
#include "cupti_backend/metrics/metric_host.h"
#include "cupti_backend/metrics/metric_levels.h"

namespace prof::cupti {

struct PlannedGroup {
  std::string level;
  std::vector<std::string> metrics;  // kWindowMetric first, if they are counted by hardware
  std::vector<uint8_t> config_image;
  MetricCost cost = MetricCost::kTime;
};

// A throughput that needs several passes, as the parts of which it is the maximum.
struct ThroughputPlan {
  std::string metric;
  std::vector<std::string> parts;    // need one pass each; not all of them have to be in the plan
  std::vector<std::string> missing;  // need more than one
};

struct PassPlan {
  std::vector<PlannedGroup> groups;  // level by level; within one the cheapest first
  std::vector<ThroughputPlan> throughputs;
  // Metrics that cannot be sampled, with the reason: not on this chip, or more than one pass.
  std::vector<std::string> left_out;
};

// Takes each group of the levels as it stands when the chip reads it in one pass, and else packs
// its metrics first fit into groups that it does. A metric that an earlier level reads is not read
// again. A throughput of several passes is replaced by its parts. About 2 ms for each question to
// CUPTI: one per group where the levels fit the chip (GH100), one per metric and group where they
// do not.
PassPlan PlanPasses(const MetricHost& host, const std::vector<MetricLevel>& levels);

// All metrics of the levels in one group, whatever number of passes that is: for kernels that are
// run again for each.
PassPlan PlanReplay(const MetricHost& host, const std::vector<MetricLevel>& levels);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_METRICS_PASS_PLANNER_H_
