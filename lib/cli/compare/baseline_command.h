// SPDX-License-Identifier: Apache-2.0
//
// `prof baseline` writes, updates and shows the runs that later ones are compared with.
#ifndef PROF_LIB_CLI_COMPARE_BASELINE_COMMAND_H_
#define PROF_LIB_CLI_COMPARE_BASELINE_COMMAND_H_

#include "lib/cli/base/command.h"

namespace prof::cli {

Command AddBaselineCommand(CLI::App* app);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_COMPARE_BASELINE_COMMAND_H_
