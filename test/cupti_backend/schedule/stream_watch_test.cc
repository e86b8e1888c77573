// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/stream_watch.h"

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "test/support/catch.h"

namespace prof::cupti::test::stream_watch_test {
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
  CHECK(watch.Idle(driver));
  watch.Seen(nullptr);
  watch.Seen(Stream(16));
  CHECK(watch.Idle(driver));
  CHECK(asked == std::set<CUstream>{nullptr, Stream(16)});
  busy = {Stream(16)};
  CHECK_FALSE(watch.Idle(driver));
}

TEST_CASE("A stream that captures a graph is not queried, which would spoil the capture") {
  const DriverApi driver = Driver();
  StreamWatch watch;
  watch.Seen(Stream(16));
  capturing = {Stream(16)};
  CHECK_FALSE(watch.Idle(driver));
  CHECK(asked.empty());
}

TEST_CASE("A destroyed stream is not asked any more") {
  const DriverApi driver = Driver();
  StreamWatch watch;
  watch.Seen(Stream(16));
  watch.Seen(Stream(32));
  watch.Destroyed(Stream(16));
  CHECK(watch.Idle(driver));
  CHECK(asked == std::set<CUstream>{Stream(32)});
}

TEST_CASE("With more streams than can be watched nothing is known to be idle") {
  const DriverApi driver = Driver();
  StreamWatch watch;
  for (uintptr_t i = 1; i <= StreamWatch::kMaxStreams; ++i) watch.Seen(Stream(16 * i));
  CHECK(watch.Idle(driver));
  watch.Seen(Stream(8));
  CHECK_FALSE(watch.Idle(driver));
}

TEST_CASE("The other streams may be asked alone") {
  const DriverApi driver = Driver();
  StreamWatch watch;
  watch.Seen(nullptr);
  watch.Seen(Stream(16));
  busy = {Stream(16)};
  CHECK(watch.Idle(driver, StreamWatch::Scope::kOtherStreams, Stream(16)));
  CHECK_FALSE(watch.Idle(driver, StreamWatch::Scope::kOtherStreams, nullptr));
}

TEST_CASE("No stream is queried while any of them captures a graph") {
  const DriverApi driver = Driver();
  StreamWatch watch;
  watch.Seen(Stream(16));
  watch.Seen(Stream(32));
  capturing = {Stream(32)};
  CHECK_FALSE(watch.Idle(driver));
  CHECK(asked.empty());
}

TEST_CASE("Per-thread default streams are several, and nothing is known to be idle") {
  const DriverApi driver = Driver();
  StreamWatch watch;
  watch.Seen(CU_STREAM_PER_THREAD);
  watch.Seen(CU_STREAM_PER_THREAD);
  CHECK_FALSE(watch.several());
  CHECK(watch.Idle(driver));
  bool idle_elsewhere = true;
  std::thread([&] { idle_elsewhere = watch.Idle(driver); }).join();
  CHECK_FALSE(idle_elsewhere);  // that thread would ask a stream of its own
  CHECK_FALSE(watch.several());
  std::thread([&] { watch.Seen(CU_STREAM_PER_THREAD); }).join();
  CHECK(watch.several());
  CHECK_FALSE(watch.Idle(driver));
}

TEST_CASE("Work that may wait for the host is doubted until the GPU was idle after it") {
  const DriverApi driver = Driver();
  StreamWatch watch;
  watch.Seen(nullptr);
  CHECK_FALSE(watch.Doubtful(0));
  watch.Doubt(10);
  CHECK(watch.Doubtful(0));
  busy = {nullptr};
  CHECK_FALSE(watch.Idle(driver));
  CHECK(watch.Doubtful(0));
  busy.clear();
  CHECK(watch.Idle(driver));
  CHECK_FALSE(watch.Doubtful(0));
  watch.Doubt(11);
  CHECK(watch.Doubtful(0));
}

TEST_CASE("Within one stream doubted work has ended once later work has") {
  StreamWatch watch;
  watch.Seen(nullptr);
  watch.Doubt(10);
  watch.Doubt(9);             // of a thread that came late
  CHECK(watch.Doubtful(10));  // a node of that launch; others may still run
  CHECK_FALSE(watch.Doubtful(11));
  watch.Seen(Stream(16));
  CHECK(watch.Doubtful(11));  // the order of several streams proves nothing
}

TEST_CASE("A stream is not destroyed while it is queried") {
  static std::atomic<bool> querying{false}, answered{false};
  StreamWatch watch;
  DriverApi driver = Driver();
  driver.stream_query = [](CUstream) {
    querying = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    answered = true;
    return CUDA_SUCCESS;
  };
  watch.Seen(Stream(16));
  std::thread query([&] { watch.Idle(driver); });
  while (!querying) std::this_thread::yield();
  watch.Destroyed(Stream(16));
  CHECK(answered);
  query.join();
}

}  // namespace
}  // namespace prof::cupti::test::stream_watch_test
