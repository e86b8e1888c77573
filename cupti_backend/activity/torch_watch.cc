// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/torch_watch.h"

namespace prof::cupti {

BufferWatch::Act TorchWatch::Check(const BufferWatch::Observation& seen) {
  using Act = BufferWatch::Act;
  const uint64_t launches_before = last_launches_;
  last_launches_ = seen.launches;
  if (!taken_) {
    if (!seen.torch_on) return Act::kNothing;
    taken_ = true;
    first_missed_ = launches_before;
    missed_ = seen.launches - first_missed_;
    off_since_ns_ = 0;
    return Act::kReportTaken;
  }
  missed_ = seen.launches - first_missed_;
  if (seen.torch_on) off_since_ns_ = 0;
  if (seen.torch_on || !seen.torch_off) return Act::kNothing;
  if (off_since_ns_ == 0) off_since_ns_ = seen.now_ns;
  if (seen.now_ns - off_since_ns_ < BufferWatch::kGoneNs) return Act::kNothing;
  taken_ = false;
  missed_before_ += missed_;
  missed_ = 0;
  return Act::kRegisterAgain;
}

}  // namespace prof::cupti
