// SPDX-License-Identifier: Apache-2.0
//
// These tests look at what a terminal gets on stderr while a command works.
#include "lib/cli/base/progress.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>

#include "test/support/catch.h"
#include "test/support/snapshot_builder.h"
#include "test/support/temp_folder.h"

namespace prof::cli::progress_test {
namespace {

using Catch::Contains;

// A terminal: what is written to `line` is read from `screen`.
struct Terminal {
  int screen = -1, line = -1;

  Terminal() { REQUIRE(openpty(&screen, &line, nullptr, nullptr, nullptr) == 0); }
  ~Terminal() {
    close(screen);
    close(line);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  [[nodiscard]] std::string Shown() const {
    std::string text;
    std::array<char, 4096> buffer{};
    for (pollfd ready{screen, POLLIN, 0}; poll(&ready, 1, 100) > 0;) {
      const ssize_t bytes = read(screen, buffer.data(), buffer.size());
      if (bytes <= 0) break;
      text.append(buffer.data(), static_cast<size_t>(bytes));
    }
    return text;
  }
};

// What `prof export -` writes to a terminal when its standard input comes late.
std::string ExportOf(const std::string& recording, std::chrono::milliseconds late) {
  const test::TempFolder folder;
  const Terminal terminal;
  std::array<int, 2> input{};
  REQUIRE(pipe(input.data()) == 0);
  const std::string output = folder / "out";
  const pid_t child = fork();
  if (child == 0) {
    dup2(input[0], STDIN_FILENO);
    dup2(terminal.line, STDERR_FILENO);
    close(input[0]);
    close(input[1]);
    execl(PROF_PROGRAM, "prof", "export", "--to", "csv", "-o", output.c_str(), "-", nullptr);
    _exit(127);
  }
  close(input[0]);
  std::this_thread::sleep_for(late);
  CHECK(write(input[1], recording.data(), recording.size()) ==
        static_cast<ssize_t>(recording.size()));
  close(input[1]);
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  return terminal.Shown();
}

TEST_CASE("An export that lasts shows on a terminal what it does, and then removes the line") {
  test::SnapshotBuilder b;
  b.Kernel(b.Shape("saxpy", {132}, {256}), "step", 10'000, 20'000);
  const std::string recording = b.Bytes();
  const std::string slow = ExportOf(recording, std::chrono::milliseconds(1500));
  CHECK_THAT(slow, Contains("prof: reading -, 1 s"));
  CHECK_THAT(slow, Contains("\r\x1b[Kprof: wrote "));
  CHECK_THAT(ExportOf(recording, std::chrono::milliseconds(0)), !Contains("reading"));
}

}  // namespace
}  // namespace prof::cli::progress_test
