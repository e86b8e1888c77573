// SPDX-License-Identifier: Apache-2.0
//
// OptionsFor() chooses how text looks on the terminal or file that it goes to.
#ifndef PROF_LIB_CLI_TERMINAL_H_
#define PROF_LIB_CLI_TERMINAL_H_

#include "lib/report/text/text.h"

namespace prof::cli {

// A terminal at file descriptor `fd` gets its own width (80 to 200), colors unless NO_COLOR is set,
// and lines in UTF-8 where the locale has it. Anything else gets 120 columns without color, so that
// a report in a file looks the same everywhere.
[[nodiscard]] TextOptions OptionsFor(int fd);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_TERMINAL_H_
