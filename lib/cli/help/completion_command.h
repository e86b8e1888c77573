// SPDX-License-Identifier: Apache-2.0
//
// `prof completion` and `prof man` print the shell completions and the man page, which the build
// installs.
#ifndef PROF_LIB_CLI_HELP_COMPLETION_COMMAND_H_
#define PROF_LIB_CLI_HELP_COMPLETION_COMMAND_H_

#include "lib/cli/base/command.h"

namespace prof::cli {

// After all other commands: they print what `app` has.
[[nodiscard]] Command AddCompletionCommand(CLI::App* app);
// The same.
[[nodiscard]] Command AddManCommand(CLI::App* app);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_HELP_COMPLETION_COMMAND_H_
