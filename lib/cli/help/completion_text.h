// SPDX-License-Identifier: Apache-2.0
//
// Completion texts are scripts that let a shell complete the command line of `prof`.
#ifndef PROF_LIB_CLI_HELP_COMPLETION_TEXT_H_
#define PROF_LIB_CLI_HELP_COMPLETION_TEXT_H_

#include <string>
#include <vector>

#include "lib/cli/help/command_words.h"

namespace prof::cli {

// All complete commands, options, the values of options that take names, and files. Behind the "--"
// of `prof run` they complete the program's command line.
[[nodiscard]] std::string BashCompletion(const std::vector<CommandWords>& commands);
[[nodiscard]] std::string ZshCompletion(const std::vector<CommandWords>& commands);
[[nodiscard]] std::string FishCompletion(const std::vector<CommandWords>& commands);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_HELP_COMPLETION_TEXT_H_
