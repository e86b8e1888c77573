// SPDX-License-Identifier: Apache-2.0
//
// The levels of counters that `prof metrics` describes.
#ifndef PROF_LIB_CLI_METRICS_METRICS_LEVELS_H_
#define PROF_LIB_CLI_METRICS_METRICS_LEVELS_H_

#include <string>
#include <string_view>

#include "cupti_backend/metrics/metric_catalogue.h"

namespace prof::cli {

struct MetricLevel {
  const char* name;
  const char* included;  // the option of `prof run` that reads it: "--counters all"
  const char* answers;   // what it is good for
};

// The level that a user named, or null.
[[nodiscard]] const MetricLevel* LevelNamed(std::string_view name);

// The level with this name in the catalogue; any other name is a list of the user's own.
[[nodiscard]] const MetricLevel& LevelOrOwnList(std::string_view name);

// "pulse, sol, ...".
[[nodiscard]] std::string LevelNames();

// What one sample of a kernel costs the launching thread, on the GPU of kCostSource.
[[nodiscard]] double SampleCostNs(const cupti::CatalogueLevel& level);

inline constexpr const char* kCostSource =
    "measured on an H200 with CUPTI 13.0 (docs/internals/counters.md): 8 us for times, 50 us for "
    "DRAM and L2, 1 ms as soon as anything per SM is read; other GPUs differ";

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_METRICS_METRICS_LEVELS_H_
