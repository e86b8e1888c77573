// SPDX-License-Identifier: Apache-2.0
//
// The torch watch stands in for BufferWatch where CUPTI gives no sign (before CUDA 13, where
// threads share buffers): it goes by what PyTorch says of its own profiler, which takes the buffers
// while it records and does not give them back.
#ifndef PROF_CUPTI_BACKEND_ACTIVITY_TORCH_WATCH_H_
#define PROF_CUPTI_BACKEND_ACTIVITY_TORCH_WATCH_H_

#include "cupti_backend/activity/buffer_watch.h"

namespace prof::cupti {

// The collector thread's bookkeeping. It makes no call to CUPTI.
class TorchWatch {
 public:
  // kReportTaken, kRegisterAgain, or kNothing; `seen.buffers` and `answers` do not count.
  BufferWatch::Act Check(const BufferWatch::Observation& seen);

  bool taken() const { return taken_; }
  // As BufferWatch::launches_missed. Those of the profiler's warm-up are not known: it gives no
  // sign of it.
  uint64_t launches_missed() const { return missed_before_ + missed_; }

 private:
  bool taken_ = false;
  uint64_t last_launches_ = 0;  // at the last check
  uint64_t first_missed_ = 0;
  uint64_t missed_ = 0, missed_before_ = 0;
  int64_t off_since_ns_ = 0;  // 0: it records, or this is unknown
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_ACTIVITY_TORCH_WATCH_H_
