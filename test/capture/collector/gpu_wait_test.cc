// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/gpu_wait.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <thread>

#include "test/support/catch.h"

namespace prof::capture::test::gpu_wait_test {
namespace {

using std::chrono::milliseconds;

std::atomic<int> wakes{0};

Deadline In(milliseconds time) { return std::chrono::steady_clock::now() + time; }

TEST_CASE("A wait that is over wakes the collector, and its answer is taken once") {
  wakes = 0;
  GpuWait wait([] { ++wakes; });
  CHECK_FALSE(wait.running());
  CHECK_FALSE(wait.Take().has_value());
  for (const bool answer : {true, false}) {
    wait.Start([answer](const std::atomic<bool>&) { return answer; });
    CHECK(wait.running());
    CHECK(wait.TakeBefore(In(milliseconds(10'000))) == answer);
    CHECK_FALSE(wait.running());
    CHECK_FALSE(wait.Take().has_value());
  }
  CHECK(wakes == 2);
}

TEST_CASE("An exception in a wait is a GPU that failed") {
  GpuWait wait([] {});
  wait.Start([](const std::atomic<bool>&) -> bool { throw std::bad_alloc(); });
  CHECK(wait.TakeBefore(In(milliseconds(10'000))) == false);
}

TEST_CASE("A wait that is given up keeps what it uses, and learns that nobody waits") {
  const auto used = std::make_shared<std::atomic<int>>(0);
  const std::weak_ptr<std::atomic<int>> watched = used;
  const auto goes_on = std::make_shared<std::atomic<bool>>(true);
  {
    GpuWait wait([] {});
    wait.Start([used, goes_on](const std::atomic<bool>& given_up) {
      while (*goes_on) std::this_thread::sleep_for(milliseconds(1));
      *used = given_up ? 2 : 1;
      return true;
    });
    const auto begin = std::chrono::steady_clock::now();
    CHECK_FALSE(wait.TakeBefore(In(milliseconds(20))).has_value());
    CHECK(wait.running());
    CHECK(std::chrono::steady_clock::now() - begin < milliseconds(5'000));
  }  // it does not wait here either
  CHECK(watched.use_count() == 2);
  *goes_on = false;
  const Deadline until = In(milliseconds(10'000));
  while (watched.use_count() > 1 && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  CHECK(*used == 2);
  CHECK(watched.use_count() == 1);
}

}  // namespace
}  // namespace prof::capture::test::gpu_wait_test
