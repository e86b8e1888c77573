// SPDX-License-Identifier: Apache-2.0
//
// `prof info` prints what a recording holds, without any analysis.
#ifndef PROF_LIB_CLI_REPORT_INFO_COMMAND_H_
#define PROF_LIB_CLI_REPORT_INFO_COMMAND_H_

#include "lib/cli/base/command.h"

namespace prof::cli {

Command AddInfoCommand(CLI::App* app);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_REPORT_INFO_COMMAND_H_
