// SPDX-License-Identifier: Apache-2.0
//
// How text may look where it goes to.
#ifndef PROF_LIB_CLI_TERMINAL_H_
#define PROF_LIB_CLI_TERMINAL_H_

#include "lib/report/text/text.h"

namespace prof::cli {

// For file descriptor `fd`: a terminal's width (80 to 200) and colors, unless NO_COLOR is set; 120
// columns without color for everything else, so that a report in a file looks the same everywhere.
// Lines in UTF-8 where the locale is and it is a terminal.
TextOptions OptionsFor(int fd);

}  // namespace prof::cli

#endif  // PROF_LIB_CLI_TERMINAL_H_
