// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/process/exit_guard.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "lib/capture/process/fork_guard.h"
#include "test/support/catch.h"

namespace prof::capture::exit_guard_test {
namespace {

int order_pipe = -1;  // the end that the child writes to

void Report(const char* what) {
  if (write(order_pipe, what, 1) != 1) std::abort();
}
void Stop() { Report("s"); }
void DestroyLibrary() { Report("d"); }

// The order in which a child reports its ends when it calls exit() after `program`.
template <typename Program>
std::string OrderAtExit(Program program) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    order_pipe = ends[1];
    SetExitAction(&Stop);
    GuardExit();
    program();
    std::exit(0);
  }
  close(ends[1]);
  std::string order;
  char what = 0;
  while (read(ends[0], &what, 1) == 1) order += what;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  return order;
}

TEST_CASE("What a library registers later is destroyed before the recording stops") {
  CHECK(OrderAtExit([] { std::atexit(&DestroyLibrary); }) == "ds");
}

TEST_CASE("What a library registers while we are first at exit is destroyed after that") {
  const std::string order = OrderAtExit([] {
    // As it is when the program exits while a thread of ours is in the library.
    auto* first = new FirstAtExit;
    std::atexit(&DestroyLibrary);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    (void)first;
  });
  CHECK(order == "sd");
}

TEST_CASE(
    "What was registered while we were first at exit is destroyed after the recording stops") {
  const std::string order = OrderAtExit([] {
    const FirstAtExit first;
    std::atexit(&DestroyLibrary);
  });
  CHECK(order == "sd");
}

TEST_CASE("A child that is forked while we are first at exit ends") {
  CHECK(OrderAtExit([] {
          GuardAgainstFork();
          const FirstAtExit first;
          for (int i = 0; i < 50; ++i) {
            const pid_t child = fork();
            if (child == 0) {
              SetExitAction(nullptr);
              std::exit(0);
            }
            waitpid(child, nullptr, 0);
          }
        }) == "s");
}

}  // namespace
}  // namespace prof::capture::exit_guard_test
