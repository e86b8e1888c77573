// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/process/complain.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "test/support/catch.h"

namespace prof::capture::complain_test {
namespace {

// Stderr is a pipe while it lives.
class PipedStderr {
 public:
  PipedStderr() : before_(dup(STDERR_FILENO)) {
    REQUIRE(pipe(ends_.data()) == 0);
    REQUIRE(dup2(ends_[1], STDERR_FILENO) == STDERR_FILENO);
    REQUIRE(fcntl(ends_[0], F_SETFL, O_NONBLOCK) == 0);
  }
  ~PipedStderr() {
    dup2(before_, STDERR_FILENO);
    close(before_);
    close(ends_[1]);
    CloseReader();
  }
  PipedStderr(const PipedStderr&) = delete;
  PipedStderr& operator=(const PipedStderr&) = delete;

  // Until nothing goes into it any more.
  void Fill() {
    const int flags = fcntl(ends_[1], F_GETFL);
    fcntl(ends_[1], F_SETFL, flags | O_NONBLOCK);
    const std::string bytes(4096, 'x');
    while (write(ends_[1], bytes.data(), bytes.size()) > 0) {
    }
    fcntl(ends_[1], F_SETFL, flags);
  }
  std::string Read() {
    std::string text(1 << 17, '\0');
    const ssize_t bytes = read(ends_[0], text.data(), text.size());
    text.resize(bytes > 0 ? static_cast<size_t>(bytes) : 0);
    return text;
  }
  void CloseReader() {
    if (ends_[0] >= 0) close(ends_[0]);
    ends_[0] = -1;
  }

 private:
  const int before_;
  std::array<int, 2> ends_{-1, -1};
};

TEST_CASE("A complaint is a line on stderr, and leaves errno as it was") {
  PipedStderr piped;
  errno = ENOENT;
  Complain("prof: %s; %d\n", "something", 7);
  CHECK(errno == ENOENT);
  CHECK(piped.Read() == "prof: something; 7\n");
  Complain("%s", std::string(10'000, 'y').c_str());
  CHECK(piped.Read() == std::string(4095, 'y'));
}

TEST_CASE("A complaint for which stderr has no room is dropped, and nobody waits") {
  PipedStderr piped;
  piped.Fill();
  Complain("prof: something\n");
  CHECK(piped.Read().find("prof") == std::string::npos);
}

TEST_CASE("A complaint that nobody reads ends no program by SIGPIPE, and takes none of its own") {
  PipedStderr piped;
  piped.CloseReader();
  Complain("prof: something\n");
  sigset_t pending;
  REQUIRE(sigpending(&pending) == 0);
  CHECK(sigismember(&pending, SIGPIPE) == 0);
}

}  // namespace
}  // namespace prof::capture::complain_test
