// SPDX-License-Identifier: Apache-2.0
//
// OptionsFor() chooses how text looks on the terminal or file that it goes to.
#ifndef PROF_LIB_CLI_BASE_TERMINAL_H_
#define PROF_LIB_CLI_BASE_TERMINAL_H_

#include <string>

#include "lib/report/text/text.h"

namespace prof::cli {

// What the user asked for; unset: what suits the terminal.
struct Looks {
  int width = 0;               // 0: the terminal's
  std::string color = "auto";  // "always", "never"
};

// A terminal at file descriptor `fd` gets its own width (80 to 200), colors unless NO_COLOR is set,
// and lines in UTF-8 where the locale has it. Anything else gets 120 columns without color, so that
// a report in a file looks the same everywhere.
[[nodiscard]] TextOptions OptionsFor(int fd, const Looks& looks = {});

// Shows `text` in the program that PAGER names, otherwise in less, where stdout is a terminal with
// fewer lines than the text. False: it has to be written to stdout, because that is no terminal,
// the text fits, PAGER is empty or "cat", or there is no such program.
[[nodiscard]] bool ShowInPager(const std::string& text);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_BASE_TERMINAL_H_
