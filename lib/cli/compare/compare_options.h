// SPDX-License-Identifier: Apache-2.0
//
// The options of a comparison on the command line, for `prof compare` and `prof check`.
#ifndef PROF_LIB_CLI_COMPARE_COMPARE_OPTIONS_H_
#define PROF_LIB_CLI_COMPARE_COMPARE_OPTIONS_H_

#include <CLI/CLI.hpp>

#include "prof/compare.h"

namespace prof::cli {

// What the user gives in percent.
struct ComparePercents {
  double threshold = 5;
  double least_share = 0.5;
};

// Adds --threshold, --alpha and --least-share to `parser`.
void AddCompareOptions(CLI::App* parser, ComparePercents* percents, CompareOptions* options);

// `options` with what the user gave in percent.
[[nodiscard]] CompareOptions WithPercents(CompareOptions options, const ComparePercents& percents);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_COMPARE_COMPARE_OPTIONS_H_
