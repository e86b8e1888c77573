// SPDX-License-Identifier: Apache-2.0
//
// `prof run` runs a program with libprof_inject.so in it.
#ifndef PROF_LIB_CLI_RUN_RUN_COMMAND_H_
#define PROF_LIB_CLI_RUN_RUN_COMMAND_H_

#include <string>
#include <vector>

#include "lib/cli/base/command.h"

namespace prof::cli {

// Takes the program to run out of the arguments of `prof run`: all words after the first "--",
// whatever they look like.
std::vector<std::string> TakeProgram(std::vector<std::string>* arguments);

// `program` may be empty: then the first word that is no option begins it. The command's exit
// status is the program's, and the command does not return when a signal ended the program. 127:
// the program was not found, 126: it cannot be executed.
Command AddRunCommand(CLI::App* app, std::vector<std::string> program);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_RUN_RUN_COMMAND_H_
