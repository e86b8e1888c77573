// SPDX-License-Identifier: Apache-2.0
//
// `prof ranks` says which rank of a job the others wait for, and why.
#ifndef PROF_LIB_CLI_REPORT_RANKS_COMMAND_H_
#define PROF_LIB_CLI_REPORT_RANKS_COMMAND_H_

#include "lib/cli/base/command.h"

namespace prof::cli {

[[nodiscard]] Command AddRanksCommand(CLI::App* app);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_REPORT_RANKS_COMMAND_H_
