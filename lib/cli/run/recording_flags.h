// SPDX-License-Identifier: Apache-2.0
//
// The flags of `prof run` that are recording options: one for each row of the option table that has
// a flag. They reach the program as the variables that libprof.so reads.
#ifndef PROF_LIB_CLI_RUN_RECORDING_FLAGS_H_
#define PROF_LIB_CLI_RUN_RECORDING_FLAGS_H_

#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "lib/cli/base/environment.h"
#include "lib/options/option_table.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace prof::cli {

class RecordingFlags {
 public:
  // Adds the flags to `parser`, which writes into this object.
  explicit RecordingFlags(CLI::App* parser);
  RecordingFlags(const RecordingFlags&) = delete;
  RecordingFlags& operator=(const RecordingFlags&) = delete;

  // Puts the flags that were given into `environment`, then reads back what libprof.so will read.
  // Returns that in `options`, and the problems as text; nothing: all is well.
  [[nodiscard]] std::optional<std::string> Apply(Environment* environment,
                                                 SessionOptions* options) const;

  // Whether the user typed the flag ("--metrics").
  [[nodiscard]] bool IsGiven(std::string_view flag) const;

 private:
  struct Flag {
    const options::Option* option;
    CLI::Option* parsed = nullptr;
    std::string text;
  };
  [[nodiscard]] static std::string ValueOf(const Flag& flag);

  std::deque<Flag> flags_;  // the parser holds pointers into it
};

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_RUN_RECORDING_FLAGS_H_
