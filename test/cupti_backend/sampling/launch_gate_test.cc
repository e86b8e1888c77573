// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/sampling/launch_gate.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "test/support/catch.h"

namespace prof::cupti::test::launch_gate_test {
namespace {

constexpr int64_t kPatience = 1'000'000;

template <typename Function>
void OnAnotherThread(Function function) {
  std::thread(function).join();
}

TEST_CASE("The gate holds up the launches of one context, until it opens") {
  LaunchGate gate;
  const int one = 1, other = 2;  // contexts
  CHECK_FALSE(gate.Enter(&one));
  gate.Exit();
  REQUIRE(gate.CloseFor(&one, kPatience));
  OnAnotherThread([&] {
    CHECK_FALSE(gate.Enter(&other));
    gate.Exit();
  });
  std::atomic<bool> passed{false}, waited{false};
  std::thread launch([&] {
    waited = gate.Enter(&one);
    passed = true;
    gate.Exit();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK_FALSE(passed);
  CHECK_FALSE(gate.OthersUnderWay());  // what waits at the gate is not under way
  gate.Open();
  launch.join();
  CHECK(passed);
  CHECK(waited);
}

TEST_CASE("The gate does not close while a launch of another thread is under way") {
  LaunchGate gate;
  const int context = 1;
  CHECK_FALSE(gate.Enter(&context));               // the caller's own
  OnAnotherThread([&] { gate.Enter(&context); });  // its exit is yet to come
  CHECK(gate.OthersUnderWay());
  CHECK_FALSE(gate.CloseFor(&context, kPatience));
  OnAnotherThread([&] {
    CHECK_FALSE(gate.Enter(&context));  // it is open
    gate.Exit();
  });
}

TEST_CASE("The gate waits for launches of other threads, not for the caller's own") {
  LaunchGate gate;
  const int context = 1;
  gate.Enter(&context);
  std::atomic<bool> entered{false};
  std::thread launch([&] {
    gate.Enter(&context);
    entered = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    gate.Exit();
  });
  while (!entered) std::this_thread::yield();
  CHECK(gate.CloseFor(&context, 10'000 * kPatience));
  CHECK_FALSE(gate.OthersUnderWay());
  launch.join();
}

}  // namespace
}  // namespace prof::cupti::test::launch_gate_test
