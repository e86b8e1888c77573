// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/buffer_watch.h"

namespace prof::cupti {

BufferWatch::Act BufferWatch::Check(const Observation& seen) {
  const bool came = seen.buffers != buffers_;
  buffers_ = seen.buffers;
  answers_ = seen.answers;
  const uint64_t launches_before = last_launches_;
  last_launches_ = seen.launches;
  if (taken_ && !came) return CheckWhileTaken(seen);
  if (came) {
    // Launches since the last check may have come, or not.
    first_missed_ = launches_before;
    launches_ = seen.launches;
    waiting_since_ns_ = 0;
    probed_ = false;
    if (taken_) {
      taken_ = false;
      if (!registered_again_) missed_before_ += missed_;  // otherwise they were recorded
      missed_ = 0;
      return Act::kReportBack;
    }
  }
  const bool waits = !came && seen.launches != launches_ && seen.recorded < seen.launches;
  if (!waits) {
    waiting_since_ns_ = 0;
    probed_ = false;
  } else if (waiting_since_ns_ == 0) {
    waiting_since_ns_ = seen.now_ns;
  }
  const bool suspicious = waits && seen.now_ns - waiting_since_ns_ >= kSuspiciousNs;
  // CUPTI has never asked us for a buffer, so it asks another profiler.
  const bool never = seen.buffers == 0;
  if (suspicious && (never || probed_)) {
    MarkTaken(seen.launches);
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

bool BufferWatch::End(const Observation& seen, uint64_t answers_before_probe) {
  if (taken_) {
    missed_ = seen.launches - first_missed_;
    return false;
  }
  const bool lost = answers_before_probe != 0 && seen.answers == answers_before_probe &&
                    seen.launches != first_missed_ && seen.recorded < seen.launches;
  if (lost) MarkTaken(seen.launches);
  return lost;
}

void BufferWatch::MarkTaken(uint64_t launches) {
  taken_ = true;
  registered_again_ = false;
  missed_ = launches - first_missed_;
  torch_off_since_ns_ = 0;
}

BufferWatch::Act BufferWatch::CheckWhileTaken(const Observation& seen) {
  missed_ = seen.launches - first_missed_;
  if (seen.torch_on) torch_off_since_ns_ = 0;
  if (seen.torch_on || !seen.torch_off) return Act::kNothing;
  if (torch_off_since_ns_ == 0) torch_off_since_ns_ = seen.now_ns;
  if (seen.now_ns - torch_off_since_ns_ < kGoneNs) return Act::kNothing;
  torch_off_since_ns_ = seen.now_ns;
  registered_again_ = true;
  missed_before_ += missed_;
  missed_ = 0;
  first_missed_ = seen.launches;
  return Act::kRegisterAgain;
}

}  // namespace prof::cupti
