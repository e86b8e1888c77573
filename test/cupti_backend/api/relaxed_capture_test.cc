// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/api/relaxed_capture.h"

#include "test/support/catch.h"

namespace prof::cupti::test::relaxed_capture_test {
namespace {

CUstreamCaptureMode thread_mode;
CUresult result;

DriverApi Driver() {
  thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  result = CUDA_SUCCESS;
  DriverApi driver;
  driver.thread_exchange_capture_mode = [](CUstreamCaptureMode* mode) {
    if (result == CUDA_SUCCESS) std::swap(*mode, thread_mode);
    return result;
  };
  return driver;
}

TEST_CASE("The thread's mode is relaxed for a scope, and then as it was") {
  const DriverApi driver = Driver();
  thread_mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
  {
    const RelaxedCapture relaxed(driver);
    CHECK(thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED);
    {
      const RelaxedCapture inner(driver);
      CHECK(thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED);
    }
    CHECK(thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED);
  }
  CHECK(thread_mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
}

TEST_CASE("A driver without the call, or that refuses it, changes nothing") {
  DriverApi driver = Driver();
  result = CUDA_ERROR_INVALID_VALUE;
  { const RelaxedCapture relaxed(driver); }
  driver.thread_exchange_capture_mode = nullptr;
  { const RelaxedCapture relaxed(driver); }
  CHECK(thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
}

}  // namespace
}  // namespace prof::cupti::test::relaxed_capture_test
