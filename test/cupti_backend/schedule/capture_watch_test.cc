// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/capture_watch.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "test/support/catch.h"

namespace prof::cupti::test {
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

}  // namespace
}  // namespace prof::cupti::test
