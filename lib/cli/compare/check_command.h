// SPDX-License-Identifier: Apache-2.0
//
// `prof check` compares recordings with a baseline, for CI: the exit status is the answer.
#ifndef PROF_LIB_CLI_COMPARE_CHECK_COMMAND_H_
#define PROF_LIB_CLI_COMPARE_CHECK_COMMAND_H_

#include "lib/cli/base/command.h"

namespace prof::cli {

Command AddCheckCommand(CLI::App* app);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_COMPARE_CHECK_COMMAND_H_
