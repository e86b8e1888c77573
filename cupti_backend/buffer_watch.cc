// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/buffer_watch.h"

namespace prof::cupti {

BufferWatch::Act BufferWatch::Look(const Sight& sight) {
  const bool came = sight.buffers != buffers_;
  buffers_ = sight.buffers;
  if (taken_ && !came) return LookWhileTaken(sight);
  if (came || sight.launches == launches_) {
    launches_ = sight.launches;
    waiting_since_ns_ = 0;
    probed_ = false;
    if (taken_) {
      taken_ = false;
      if (!registered_again_) missed_before_ += missed_;  // otherwise those were recorded
      missed_ = 0;
      return Act::kBack;
    }
    const bool untried = sight.answers == 0 && trials_ < kTrials && sight.launches != 0;
    if (!came || !untried) return Act::kNothing;
    ++trials_;
    return Act::kProbe;
  }
  if (waiting_since_ns_ == 0) waiting_since_ns_ = sight.now_ns;
  if (sight.answers == 0 || sight.now_ns - waiting_since_ns_ < kSuspiciousNs) return Act::kNothing;
  if (!probed_) {
    probed_ = true;
    return Act::kProbe;
  }
  taken_ = true;
  registered_again_ = false;
  missed_ = sight.launches - launches_;
  torch_seen_ = sight.torch_on;
  torch_off_since_ns_ = 0;
  return Act::kTaken;
}

BufferWatch::Act BufferWatch::LookWhileTaken(const Sight& sight) {
  missed_ = sight.launches - launches_;
  if (sight.torch_on) {
    torch_seen_ = true;
    torch_off_since_ns_ = 0;
    return Act::kNothing;
  }
  if (!sight.torch_off) return Act::kNothing;
  if (torch_off_since_ns_ == 0) torch_off_since_ns_ = sight.now_ns;
  const int64_t patience_ns = torch_seen_ ? kGoneNs : kNeverSeenNs;
  if (sight.now_ns - torch_off_since_ns_ < patience_ns) return Act::kNothing;
  torch_off_since_ns_ = sight.now_ns;
  registered_again_ = true;
  missed_before_ += missed_;
  missed_ = 0;
  launches_ = sight.launches;
  return Act::kTakeUpAgain;
}

}  // namespace prof::cupti
