// SPDX-License-Identifier: Apache-2.0
//
// The stream capture mode of each thread, as the driver keeps it, for fakes of CUPTI: a call that
// may synchronize spoils another thread's capture, unless its thread is relaxed.
#ifndef PROF_TEST_CUPTI_BACKEND_CAPTURE_MODES_H_
#define PROF_TEST_CUPTI_BACKEND_CAPTURE_MODES_H_

#include <atomic>
#include <utility>

#include "cupti_backend/api/driver_api.h"

namespace prof::cupti::test {

class CaptureModes {
 public:
  static void AddTo(DriverApi* driver) {
    driver->thread_exchange_capture_mode = [](CUstreamCaptureMode* mode) {
      std::swap(*mode, thread_mode());
      return CUDA_SUCCESS;
    };
  }

  // In a call of a fake that may synchronize.
  void OnCall() {
    ++calls_;
    if (thread_mode() != CU_STREAM_CAPTURE_MODE_RELAXED) ++spoiling_;
  }

  int calls() const { return calls_.load(); }
  int spoiling() const { return spoiling_.load(); }
  static bool ThreadIsAsBefore() { return thread_mode() == CU_STREAM_CAPTURE_MODE_GLOBAL; }

 private:
  static CUstreamCaptureMode& thread_mode() {
    thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    return mode;
  }

  std::atomic<int> calls_{0}, spoiling_{0};
};

}  // namespace prof::cupti::test

#endif  // PROF_TEST_CUPTI_BACKEND_CAPTURE_MODES_H_
