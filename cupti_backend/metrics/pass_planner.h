// SPDX-License-Identifier: Apache-2.0
//
// The pass planner puts metrics into groups that need one pass each, so that one launch answers a
// group and no kernel is replayed.
#ifndef PROF_CUPTI_BACKEND_METRICS_PASS_PLANNER_H_
#define PROF_CUPTI_BACKEND_METRICS_PASS_PLANNER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cupti_backend/metrics/metric_cost.h"
#include "cupti_backend/metrics/metric_host.h"
#include "cupti_backend/metrics/metric_levels.h"
#include "lib/format/depth.h"

namespace prof::cupti {

struct PlannedGroup {
  std::string level;
  std::vector<std::string> metrics;  // kWindowMetric first, if they are counted by hardware
  std::vector<uint8_t> config_image;
  MetricCost cost = MetricCost::kTime;
  format::Needs answers = format::kNeedsNothing;  // what its metrics decide
};

// A throughput that needs several passes: it is the maximum of its parts.
struct ThroughputPlan {
  std::string metric;
  std::vector<std::string> parts;    // need one pass each; the plan may not have all of them
  std::vector<std::string> missing;  // need more than one
};

struct PassPlan {
  std::vector<PlannedGroup> groups;  // level by level; within one the cheapest first
  std::vector<ThroughputPlan> throughputs;
  // Metrics that cannot be sampled, with the reason: not on this chip, or more than one pass.
  std::vector<std::string> left_out;
};

// Keeps each group of the levels that the chip reads in one pass, and packs the metrics of the
// others first fit into groups of one pass. A metric of an earlier level is not read again. The
// parts of a throughput of several passes replace it. About 2 ms for each question to CUPTI: one
// per group where the levels fit the chip (GH100), one per metric and group where they do not.
PassPlan PlanPasses(const MetricHost& host, const std::vector<MetricLevel>& levels);

// What the metrics of a group answer (lib/format/depth.h); those that the user named answer the
// user.
format::Needs AnswersOf(const std::string& level, const std::vector<std::string>& metrics);

// Puts all metrics of the levels in one group, whatever number of passes that is: for kernels that
// run once for each pass.
PassPlan PlanReplay(const MetricHost& host, const std::vector<MetricLevel>& levels);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_METRICS_PASS_PLANNER_H_
