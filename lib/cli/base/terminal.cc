// SPDX-License-Identifier: Apache-2.0
#include "lib/cli/base/terminal.h"

#include <langinfo.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace prof::cli {

namespace {

constexpr int kShellHasNoSuchCommand = 127;

bool IsColored(const char* no_color, const char* terminal) {
  const bool dumb = terminal == nullptr || std::strcmp(terminal, "dumb") == 0;
  return !dumb && (no_color == nullptr || *no_color == '\0');
}

TextOptions OfTerminal(int fd) {
  TextOptions options;
  if (isatty(fd) == 0) return options;
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    options.width = std::clamp(static_cast<int>(size.ws_col), 80, 200);
  }
  options.color = IsColored(std::getenv("NO_COLOR"), std::getenv("TERM"));
  std::setlocale(LC_CTYPE, "");
  options.utf8 = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  return options;
}

// The number of lines of the terminal at stdout; 0: it is none.
size_t LinesOfTerminal() {
  winsize size{};
  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_row;
}

bool WriteTo(FILE* pager, const std::string& text) {
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;  // the reader may leave before the end
  sigaction(SIGPIPE, &ignore, &before);
  std::fwrite(text.data(), 1, text.size(), pager);
  const int status = pclose(pager);
  sigaction(SIGPIPE, &before, nullptr);
  return !(WIFEXITED(status) && WEXITSTATUS(status) == kShellHasNoSuchCommand);
}

}  // namespace

TextOptions OptionsFor(int fd, const Looks& looks) {
  TextOptions options = OfTerminal(fd);
  if (looks.width > 0) options.width = looks.width;
  if (looks.color != "auto") options.color = looks.color == "always";
  return options;
}

bool ShowInPager(const std::string& text) {
  const size_t rows = LinesOfTerminal();
  const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  if (rows == 0 || lines < rows) return false;
  const char* const asked = std::getenv("PAGER");
  const std::string command = asked == nullptr ? "less -R" : asked;
  if (command.empty() || command == "cat") return false;
  setenv("LESS", "FRX", 0);  // colors, and nothing is cleared at the end
  FILE* const pager = popen(command.c_str(), "w");
  return pager != nullptr && WriteTo(pager, text);
}

}  // namespace prof::cli
