// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/stream_watch.h"

#include <set>

#include "test/support/catch.h"

namespace prof::cupti::test {
namespace {

// The driver as far as streams go; functions of a table carry no state of their own.
std::set<CUstream> busy, capturing, asked;

CUstream Stream(uintptr_t number) {
  return reinterpret_cast<CUstream>(number);  // NOLINT(performance-no-int-to-ptr)
}

DriverApi Driver() {
  busy.clear();
  capturing.clear();
  asked.clear();
  DriverApi driver;
  driver.stream_query = [](CUstream stream) {
    asked.insert(stream);
    return busy.count(stream) != 0 ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
  };
  driver.stream_is_capturing = [](CUstream stream, CUstreamCaptureStatus* status) {
    *status = capturing.count(stream) != 0 ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                           : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
  };
  return driver;
}

constexpr int64_t kShort = 1'000'000;

TEST_CASE("One stream is one, however often it launches; a second one is several") {
  StreamWatch watch;
  watch.Seen(nullptr);  // the legacy default stream is one like any other
  watch.Seen(nullptr);
  CHECK_FALSE(watch.several());
  watch.Seen(Stream(16));
  CHECK(watch.several());
}

TEST_CASE("Idle is when no stream that launched something has work") {
  const DriverApi driver = Driver();
  StreamWatch watch;
  CHECK(watch.IdleWithin(driver, kShort));
  watch.Seen(nullptr);
  watch.Seen(Stream(16));
  CHECK(watch.IdleWithin(driver, kShort));
  CHECK(asked == std::set<CUstream>{nullptr, Stream(16)});
  busy = {Stream(16)};
  CHECK_FALSE(watch.IdleWithin(driver, kShort));
}

TEST_CASE("A stream that captures a graph is not queried, which would spoil the capture") {
  const DriverApi driver = Driver();
  StreamWatch watch;
  watch.Seen(Stream(16));
  capturing = {Stream(16)};
  CHECK_FALSE(watch.IdleWithin(driver, 1'000 * kShort));  // at once, not after a second
  CHECK(asked.empty());
}

TEST_CASE("A destroyed stream is not asked any more") {
  const DriverApi driver = Driver();
  StreamWatch watch;
  watch.Seen(Stream(16));
  watch.Seen(Stream(32));
  watch.Destroyed(Stream(16));
  CHECK(watch.IdleWithin(driver, kShort));
  CHECK(asked == std::set<CUstream>{Stream(32)});
}

TEST_CASE("With more streams than can be watched nothing is known to be idle") {
  const DriverApi driver = Driver();
  StreamWatch watch;
  for (uintptr_t i = 1; i <= StreamWatch::kMaxStreams; ++i) watch.Seen(Stream(16 * i));
  CHECK(watch.IdleWithin(driver, kShort));
  watch.Seen(Stream(8));
  CHECK_FALSE(watch.IdleWithin(driver, kShort));
}

}  // namespace
}  // namespace prof::cupti::test
