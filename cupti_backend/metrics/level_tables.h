// SPDX-License-Identifier: Apache-2.0
//
// The level tables list the metrics of each level. Each group needs one pass on GH100 together with
// kWindowMetric; a search over CUPTI's host library found which metrics share a pass. On other
// chips the planner splits the groups that do not fit.
//
// An entry is a metric, or alternatives by preference: "a|b c" is a, or else b and c.
//
// The tables are never destroyed: a thread of ours may read them while the program exits.
#ifndef PROF_CUPTI_BACKEND_METRICS_LEVEL_TABLES_H_
#define PROF_CUPTI_BACKEND_METRICS_LEVEL_TABLES_H_

#include <string>
#include <vector>

#include "cupti_backend/metrics/metric_levels.h"

namespace prof::cupti {

const std::vector<MetricGroup>& PulseTable();
const std::vector<MetricGroup>& SolTable();
const std::vector<MetricGroup>& StallTable();
const std::vector<MetricGroup>& MemoryTable();
const std::vector<MetricGroup>& TensorTable();
// Throughputs that Nsight Compute calls the speed of light.
const std::vector<std::string>& SpeedOfLightTable();

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_METRICS_LEVEL_TABLES_H_
