// SPDX-License-Identifier: Apache-2.0
//
// `prof report` analyzes recordings and prints the result as text, JSON or CSV.
#ifndef PROF_LIB_CLI_REPORT_REPORT_COMMAND_H_
#define PROF_LIB_CLI_REPORT_REPORT_COMMAND_H_

#include "lib/cli/base/command.h"

namespace prof::cli {

Command AddReportCommand(CLI::App* app);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_REPORT_REPORT_COMMAND_H_
