// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/capture_watch.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "test/support/catch.h"

namespace prof::cupti::test::capture_watch_test {
namespace {

CUstream Stream(uintptr_t number) {
  return reinterpret_cast<CUstream>(16 * number);  // NOLINT(performance-no-int-to-ptr)
}

TEST_CASE("A capture is active until each one has ended") {
  CaptureWatch watch;
  CHECK_FALSE(watch.active());
  watch.Begin(Stream(1));
  watch.Begin(Stream(1));  // the driver will refuse it
  watch.Begin(Stream(2));
  watch.End(Stream(1));
  CHECK(watch.active());
  watch.End(Stream(3));  // no capture
  CHECK(watch.active());
  watch.End(Stream(2));
  CHECK_FALSE(watch.active());
}

TEST_CASE("More captures than there is room for end all the same") {
  CaptureWatch watch;
  for (uintptr_t i = 1; i <= 2 * CaptureWatch::kMost; ++i) watch.Begin(Stream(i));
  CHECK(watch.active());
  for (uintptr_t i = 1; i <= 2 * CaptureWatch::kMost; ++i) watch.End(Stream(i));
  CHECK_FALSE(watch.active());
}

TEST_CASE("A capture that begins while the profiler works waits for it") {
  CaptureWatch watch;
  std::atomic<bool> begun{false};
  std::thread capturing;
  {
    const CaptureWatch::Hold hold(&watch);
    REQUIRE(hold);
    capturing = std::thread([&] {
      watch.Begin(Stream(1));
      begun = true;
    });
    while (!watch.active()) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK_FALSE(begun);
    CHECK_FALSE(CaptureWatch::Hold(&watch));
  }
  capturing.join();
  watch.End(Stream(1));
  CHECK(CaptureWatch::Hold(&watch));
  watch.Begin(Stream(2));  // nothing to wait for
}

TEST_CASE("A wait for the context begins after captures that are under way") {
  CaptureWatch watch;
  const std::atomic<bool> given_up{false};
  std::atomic<bool> done{false};
  watch.Begin(Stream(1));
  std::thread waiting([&] {
    CHECK(watch.EnterBetween(10'000'000'000, given_up, [&] {
      CHECK_FALSE(watch.active());
      return true;
    }));
    done = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK_FALSE(done);
  watch.Begin(Stream(2));  // beside another one: it does not wait for what waits for that
  watch.End(Stream(1));
  watch.End(Stream(2));
  waiting.join();
  CHECK(done);
}

TEST_CASE("A wait for the context begins between captures that follow one another") {
  CaptureWatch watch;
  const std::atomic<bool> given_up{false};
  std::atomic<bool> stop{false}, capturing{false};
  std::atomic<int> captures{0};
  std::thread program([&] {
    while (!stop) {
      watch.Begin(Stream(1));
      capturing = true;
      ++captures;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      capturing = false;
      watch.End(Stream(1));
    }
  });
  while (captures < 2) std::this_thread::yield();
  for (int i = 0; i < 20; ++i) {
    CHECK(watch.EnterBetween(10'000'000'000, given_up, [&] { return !capturing; }));
  }
  stop = true;
  program.join();
}

TEST_CASE("Captures do not wait for a wait for the context that never ends") {
  CaptureWatch watch;
  const std::atomic<bool> given_up{false};
  std::atomic<bool> begun{false}, stop{false};
  std::thread waiting([&] {
    watch.EnterBetween(1'000'000'000, given_up, [&] {
      begun = true;
      while (!stop) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return true;
    });
  });
  while (!begun) std::this_thread::yield();
  watch.Begin(Stream(1));
  CHECK(watch.active());
  watch.End(Stream(1));
  stop = true;
  waiting.join();
}

TEST_CASE("A capture that does not end keeps a wait for the context from the GPU, not for ever") {
  CaptureWatch watch;
  watch.Begin(Stream(1));
  std::atomic<bool> given_up{false};
  CHECK_FALSE(watch.EnterBetween(5'000'000, given_up, [] { return true; }));
  given_up = true;
  CHECK_FALSE(watch.EnterBetween(1'000'000'000'000, given_up, [] { return true; }));
  watch.End(Stream(1));
  watch.Begin(Stream(2));  // nothing is wanted any more
  CHECK(watch.active());
}

}  // namespace
}  // namespace prof::cupti::test::capture_watch_test
