// SPDX-License-Identifier: Apache-2.0
//
// The capture watch knows whether the program captures a stream into a graph. Meanwhile the
// profiler is left alone: its calls could spoil the capture.
#ifndef PROF_CUPTI_BACKEND_SCHEDULE_CAPTURE_WATCH_H_
#define PROF_CUPTI_BACKEND_SCHEDULE_CAPTURE_WATCH_H_

#include <array>
#include <atomic>
#include <cstddef>

#include "cupti_backend/api/driver_api.h"

namespace prof::cupti {

// The program's threads; no lock, no allocation. Captures beyond kMost at a time are not seen.
class CaptureWatch {
 public:
  static constexpr size_t kMost = 64;

  // A capture of `stream` begins, before the driver begins it.
  void Begin(CUstream stream);
  // It has ended, or did not begin, or its stream is destroyed.
  void End(CUstream stream);

  // Some stream is being captured. One load.
  [[nodiscard]] bool active() const { return active_.load(std::memory_order_seq_cst) != 0; }

 private:
  std::array<std::atomic<CUstream>, kMost> streams_{};
  std::atomic<int> active_{0};
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_SCHEDULE_CAPTURE_WATCH_H_
