// SPDX-License-Identifier: Apache-2.0
//
// The levels of counters that `prof metrics` describes.
#ifndef PROF_LIB_CLI_METRIC_LEVELS_H_
#define PROF_LIB_CLI_METRIC_LEVELS_H_

#include <string>
#include <string_view>

namespace prof::cli {

struct MetricLevel {
  const char* name;
  const char* tier;      // its name in the catalogue
  const char* included;  // the option of `prof run` that reads it: "--counters all"
  const char* answers;   // what it is good for
};

// The level that a user named, or null.
[[nodiscard]] const MetricLevel* LevelNamed(std::string_view name);

// The level with the name `tier` in the catalogue; any other name is a list of the user's own.
[[nodiscard]] const MetricLevel& LevelOfTier(std::string_view tier);

// "pulse, sol, ...".
[[nodiscard]] std::string LevelNames();

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_METRIC_LEVELS_H_
