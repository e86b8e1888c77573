// SPDX-License-Identifier: Apache-2.0
//
// `prof metrics` prints what CUPTI can measure on a chip, in how many passes, and what that costs.
#ifndef PROF_LIB_CLI_METRICS_METRICS_COMMAND_H_
#define PROF_LIB_CLI_METRICS_METRICS_COMMAND_H_

#include "lib/cli/base/command.h"

namespace prof::cli {

Command AddMetricsCommand(CLI::App* app);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_METRICS_METRICS_COMMAND_H_
