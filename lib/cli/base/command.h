// SPDX-License-Identifier: Apache-2.0
//
// A command of the program `prof`: its part of the command line, and what it does. Each command is
// one file, <name>_command.cc.
#ifndef PROF_LIB_CLI_BASE_COMMAND_H_
#define PROF_LIB_CLI_BASE_COMMAND_H_

#include <functional>

namespace CLI {
class App;
}

namespace prof::cli {

struct Command {
  CLI::App* parser;
  // Returns the exit status: 0, or kFailed after a message on stderr.
  std::function<int()> run;
};

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_BASE_COMMAND_H_
