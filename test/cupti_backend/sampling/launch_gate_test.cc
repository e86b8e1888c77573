// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/launch_gate.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "test/support/catch.h"

namespace prof::cupti::test {
namespace {

TEST_CASE("The gate holds up the launches of one context, until it opens") {
  LaunchGate gate;
  const int one = 1, other = 2;  // contexts
  gate.Pass(&one);
  gate.CloseFor(&one);
  gate.Pass(&other);
  std::atomic<bool> passed{false};
  std::thread launch([&] {
    gate.Pass(&one);
    passed = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK_FALSE(passed);
  gate.Open();
  launch.join();
  CHECK(passed);
}

}  // namespace
}  // namespace prof::cupti::test
