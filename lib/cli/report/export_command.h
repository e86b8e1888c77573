// SPDX-License-Identifier: Apache-2.0
//
// `prof export` writes a recording in the formats of other tools.
#ifndef PROF_LIB_CLI_REPORT_EXPORT_COMMAND_H_
#define PROF_LIB_CLI_REPORT_EXPORT_COMMAND_H_

#include "lib/cli/base/command.h"

namespace prof::cli {

Command AddExportCommand(CLI::App* app);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_REPORT_EXPORT_COMMAND_H_
