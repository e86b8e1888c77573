// SPDX-License-Identifier: Apache-2.0
//
// `prof compare` compares recordings before a change with recordings after it.
#ifndef PROF_LIB_CLI_COMPARE_COMPARE_COMMAND_H_
#define PROF_LIB_CLI_COMPARE_COMPARE_COMMAND_H_

#include "lib/cli/base/command.h"

namespace prof::cli {

Command AddCompareCommand(CLI::App* app);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_COMPARE_COMPARE_COMMAND_H_
