// SPDX-License-Identifier: Apache-2.0
//
// The command words are the commands of the program `prof`, their options and values, as plain
// lists: shell completion and the man page are made from them.
#ifndef PROF_LIB_CLI_HELP_COMMAND_WORDS_H_
#define PROF_LIB_CLI_HELP_COMMAND_WORDS_H_

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace prof::cli {

struct OptionWords {
  std::vector<std::string> names;   // "-o", "--output"; of an argument "FILE"
  std::string value;                // "PATTERN"; empty: it takes none
  bool value_may_lack = false;      // "--continuous", "--continuous=50"
  std::vector<std::string> values;  // all that it takes; empty: anything
  std::string help, group;
  bool is_argument = false;
};

struct CommandWords {
  std::string name, help;  // "run"
  std::string usage;       // "prof run [options] -- program"
  std::string footer;      // more help, in lines
  std::vector<OptionWords> options;
};

// Of the program and its commands that are not hidden. The first one is the program itself: no
// name, and the options that stand before a command.
[[nodiscard]] std::vector<CommandWords> WordsOf(const CLI::App& app);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_HELP_COMMAND_WORDS_H_
