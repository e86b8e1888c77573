// SPDX-License-Identifier: Apache-2.0
//
// `prof ctl` controls a recording in another process, over its control socket.
#ifndef PROF_LIB_CLI_RUN_CTL_COMMAND_H_
#define PROF_LIB_CLI_RUN_CTL_COMMAND_H_

#include "lib/cli/base/command.h"

namespace prof::cli {

[[nodiscard]] Command AddCtlCommand(CLI::App* app);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_RUN_CTL_COMMAND_H_
