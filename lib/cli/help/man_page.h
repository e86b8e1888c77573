// SPDX-License-Identifier: Apache-2.0
//
// The man page prof(1) is made from the help of the commands and from the table of options.
#ifndef PROF_LIB_CLI_HELP_MAN_PAGE_H_
#define PROF_LIB_CLI_HELP_MAN_PAGE_H_

#include <string>
#include <vector>

#include "lib/cli/help/command_words.h"

namespace prof::cli {

// The page in the language of man(7).
[[nodiscard]] std::string ManPage(const std::vector<CommandWords>& commands);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_HELP_MAN_PAGE_H_
