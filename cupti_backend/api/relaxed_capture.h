// SPDX-License-Identifier: Apache-2.0
//
// While a relaxed capture lives, calls of this thread do not disturb another thread's stream
// capture. CUDA refuses calls that may synchronize (queries, allocations) on every thread while one
// captures in the global mode, and the refused call invalidates the capture.
#ifndef PROF_CUPTI_BACKEND_API_RELAXED_CAPTURE_H_
#define PROF_CUPTI_BACKEND_API_RELAXED_CAPTURE_H_

#include "cupti_backend/api/driver_api.h"

namespace prof::cupti {

// On one thread, nested at will. Some 20 ns at each end; nothing where the driver has no
// cuThreadExchangeStreamCaptureMode.
class RelaxedCapture {
 public:
  // The table outlives this.
  explicit RelaxedCapture(const DriverApi& driver) : driver_(driver) { Exchange(); }
  ~RelaxedCapture() {
    if (relaxed_) Exchange();
  }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  void Exchange() {
    relaxed_ = driver_.thread_exchange_capture_mode != nullptr &&
               driver_.thread_exchange_capture_mode(&mode_) == CUDA_SUCCESS;
  }

  const DriverApi& driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;  // the other one, at any time
  bool relaxed_ = false;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_API_RELAXED_CAPTURE_H_
