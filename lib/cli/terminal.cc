// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/terminal.h"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <cstring>

namespace prof::cli {

TextOptions OptionsFor(int fd) {
  TextOptions options;
  if (isatty(fd) == 0) return options;
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    options.width = std::clamp(static_cast<int>(size.ws_col), 80, 200);
  }
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::strcmp(terminal, "dumb") == 0;
  options.color = !dumb && (no_color == nullptr || *no_color == '\0');
  std::setlocale(LC_CTYPE, "");
  options.utf8 = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  return options;
}

}  // namespace prof::cli
