// SPDX-License-Identifier: Apache-2.0
//
// The metric levels list the metrics that answer each question, by the names that a chip has for
// them.
// docs/internals/counters.md says why each one is here.
#ifndef PROF_CUPTI_BACKEND_METRICS_METRIC_LEVELS_H_
#define PROF_CUPTI_BACKEND_METRICS_METRIC_LEVELS_H_

#include <string>
#include <vector>

#include "cupti_backend/metrics/metric_host.h"
#include "lib/format/metric_names.h"
#include "prof/session.h"

namespace prof::cupti {

// The counter window: 5 to 12 us longer than the kernel in it on an H200. It is read with every
// group of hardware counters, so that the analyzer can relate each percentage to the kernel's own
// time.
using format::kWindowMetric;

// The SM clock. One group of the cheapest level reads it.
inline constexpr const char* kClockMetric = format::kSmClockMetric;

struct MetricGroup {
  std::vector<std::string> metrics;  // belong together: of one launch where they fit one pass
  std::vector<std::string> extras;   // welcome where they cost no further pass of the level
};

struct MetricLevel {
  std::string name;  // "sol"
  std::vector<MetricGroup> groups;
  // Throughputs that the analyzer puts together from their parts.
  std::vector<std::string> throughputs;
};

// "pulse", "sol", "stalls", "memory", "tensor", "speed-of-light".
std::vector<std::string> LevelNames();

// The levels that --counters chooses, cheapest first, then the user's own list as level "user".
// For auto: stalls, memory without and with DRAM and L2, and sol.
// Where chips have different names for a metric, the name is taken that `host` has and reads in one
// pass. Where there is none the usual name stays, so that the planner reports it.
std::vector<MetricLevel> LevelsOf(const MetricHost& host, Counters counters,
                                  const std::vector<std::string>& user);
// `name`: one of LevelNames(); another name gives a level without groups.
MetricLevel LevelNamed(const MetricHost& host, const std::string& name);
MetricLevel UserLevel(const std::vector<std::string>& metrics);

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_METRICS_METRIC_LEVELS_H_
