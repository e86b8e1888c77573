// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/buffer_watch.h"

namespace prof::cupti {

BufferWatch::Act BufferWatch::Check(const Sight& sight) {
  const bool came = sight.buffers != buffers_;
  buffers_ = sight.buffers;
  answers_ = sight.answers;
  const uint64_t launches_before = last_launches_;
  last_launches_ = sight.launches;
  if (taken_ && !came) return CheckWhileTaken(sight);
  if (came) {
    // Launches since the last check may have come, or not.
    first_missed_ = launches_before;
    launches_ = sight.launches;
    waiting_since_ns_ = 0;
    probed_ = false;
    if (taken_) {
      taken_ = false;
      if (!registered_again_) missed_before_ += missed_;  // otherwise they were recorded
      missed_ = 0;
      return Act::kReportBack;
    }
  }
  const bool waits = !came && sight.launches != launches_;
  if (!waits) {
    waiting_since_ns_ = 0;
    probed_ = false;
  } else if (waiting_since_ns_ == 0) {
    waiting_since_ns_ = sight.now_ns;
  }
  const bool suspicious = waits && sight.now_ns - waiting_since_ns_ >= kSuspiciousNs;
  // CUPTI has never asked us for a buffer, so it asks another profiler.
  const bool never = sight.buffers == 0;
  if (suspicious && (never || probed_)) {
    Take(sight.launches);
    return Act::kReportTaken;
  }
  if (suspicious && answers_ != 0) {
    probed_ = true;
    return Act::kProbe;
  }
  return answers_ == 0 && TriesProbe(came) ? Act::kProbe : Act::kNothing;
}

bool BufferWatch::TriesProbe(bool came) {
  int& trials = came ? late_trials_ : trials_;
  return trials++ < kTrials;
}

bool BufferWatch::End(const Sight& sight, uint64_t answers_before_probe) {
  if (taken_) {
    missed_ = sight.launches - first_missed_;
    return false;
  }
  const bool lost = answers_before_probe != 0 && sight.answers == answers_before_probe &&
                    sight.launches != first_missed_;
  if (lost) Take(sight.launches);
  return lost;
}

void BufferWatch::Take(uint64_t launches) {
  taken_ = true;
  registered_again_ = false;
  missed_ = launches - first_missed_;
  torch_off_since_ns_ = 0;
}

BufferWatch::Act BufferWatch::CheckWhileTaken(const Sight& sight) {
  missed_ = sight.launches - first_missed_;
  if (sight.torch_on) torch_off_since_ns_ = 0;
  if (sight.torch_on || !sight.torch_off) return Act::kNothing;
  if (torch_off_since_ns_ == 0) torch_off_since_ns_ = sight.now_ns;
  if (sight.now_ns - torch_off_since_ns_ < kGoneNs) return Act::kNothing;
  torch_off_since_ns_ = sight.now_ns;
  registered_again_ = true;
  missed_before_ += missed_;
  missed_ = 0;
  first_missed_ = sight.launches;
  return Act::kRegisterAgain;
}

}  // namespace prof::cupti
