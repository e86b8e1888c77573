// SPDX-License-Identifier: Apache-2.0
//
// `prof eval` compares the verdicts with labelled kernels.
#ifndef PROF_LIB_CLI_REPORT_EVAL_COMMAND_H_
#define PROF_LIB_CLI_REPORT_EVAL_COMMAND_H_

#include "lib/cli/base/command.h"

namespace prof::cli {

Command AddEvalCommand(CLI::App* app);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_REPORT_EVAL_COMMAND_H_
