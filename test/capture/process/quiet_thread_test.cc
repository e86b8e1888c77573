// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/process/quiet_thread.h"

#include <stdexcept>
#include <thread>

#include "test/support/catch.h"

namespace prof::capture::quiet_thread_test {
namespace {

TEST_CASE("An exception on a thread of ours ends the thread, not the program") {
  bool quiet = false;
  std::thread thread = StartQuietThread("prof-test", [&quiet] {
    quiet = IsQuietThread();
    throw std::length_error("thrown by a test");
  });
  thread.join();
  StartQuietThread("prof-test", [] { throw 7; }).join();
  CHECK(quiet);
  CHECK_FALSE(IsQuietThread());
}

}  // namespace
}  // namespace prof::capture::quiet_thread_test
