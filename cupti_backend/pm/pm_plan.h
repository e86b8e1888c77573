// SPDX-License-Identifier: Apache-2.0
//
// The PM plan chooses what PM sampling reads of a chip: the metrics of lib/format/triage_metrics.h
// that the chip has, in as few passes as possible.
#ifndef PROF_CUPTI_BACKEND_PM_PM_PLAN_H_
#define PROF_CUPTI_BACKEND_PM_PM_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cupti_backend/metrics/metric_host.h"
#include "lib/format/triage_metrics.h"

namespace prof::cupti {

// What the hardware reads at the same time.
struct PmPass {
  std::vector<std::string> metrics;
  std::vector<uint8_t> config_image;
};

struct PmPlan {
  std::vector<PmPass> passes;  // none: the chip has none of the metrics
  // Units that this chip cannot sample, each with its metric: "FP64 (sm__...)". Empty: none.
  std::string left_out;
};

// Triage: more passes than this would see each unit too seldom.
constexpr size_t kMostTriagePasses = 3;

// `host` was made for CUPTI_PROFILER_TYPE_PM_SAMPLING. For each unit the first metric that the chip
// has and that fits one of the passes, and in each pass the SM clock, if it has room for it. Some
// 5 ms where one pass holds all, 20 ms for each other try.
[[nodiscard]] PmPlan PlanPmSampling(const MetricHost& host,
                                    const std::vector<format::TriageUnit>& units,
                                    size_t most_passes);
// Of all units, in the order of the table, and in their passes what there is room for: the rates,
// then the warps. 8 ms for GH100, 26 to 107 ms for other chips.
[[nodiscard]] PmPlan PlanTriage(const MetricHost& host);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_PM_PM_PLAN_H_
