// SPDX-License-Identifier: Apache-2.0
//
// The buffer guard carries out what BufferWatch finds: it probes whether CUPTI's records still come
// to us, reports when they do not, and registers our buffers again when they may.
#ifndef PROF_CUPTI_BACKEND_BUFFER_GUARD_H_
#define PROF_CUPTI_BACKEND_BUFFER_GUARD_H_

#include <cstdint>
#include <functional>

#include "cupti_backend/activity/activity_decode.h"
#include "cupti_backend/activity/buffer_watch.h"
#include "cupti_backend/activity/torch_watch.h"
#include "cupti_backend/cupti_process.h"
#include "cupti_backend/sampling/counter_sampler.h"
#include "cupti_backend/timeline_status.h"

namespace prof::cupti {

// One recording. The collector thread.
class BufferGuard {
 public:
  // All outlive this. `launches_before`: those that the callback counted before the recording.
  BufferGuard(CuptiProcess* process, const CounterSampler* sampler, ActivityDecoder* decoder,
              TimelineStatus* timeline, uint64_t launches_before)
      : process_(process),
        sampler_(sampler),
        decoder_(decoder),
        timeline_(timeline),
        launches_before_(launches_before) {}

  // Before a flush: what the flush before brought has been decoded since. A probe has until the
  // next check. `register_again` is called when the buffers are to be registered again.
  void Check(const std::function<void()>& register_again);
  // Before the last rounds. The answer is there when they are over; each asks once more where it is
  // not there yet.
  void ProbeBeforeEnd();
  // In the last rounds: it may be in a buffer that a flush held back, because CUPTI notes there how
  // long the flush took.
  [[nodiscard]] bool awaits_answer() const { return ending_; }
  // After them.
  void End();

  uint64_t launches_missed() const {
    return watch_.launches_missed() + torch_watch_.launches_missed();
  }

 private:
  bool CanProbe() const;
  BufferWatch::Observation ObserveNow();
  bool Probe();
  void AskTorch(const std::function<void()>& register_again);
  void ReportTaken();

  CuptiProcess* const process_;
  const CounterSampler* const sampler_;
  ActivityDecoder* const decoder_;
  TimelineStatus* const timeline_;
  const uint64_t launches_before_;
  BufferWatch watch_;
  TorchWatch torch_watch_;    // in its place where nothing can be probed
  bool torch_asked_ = false;  // by each launch
  bool reported_ = false;     // on stderr
  bool ending_ = false, asked_before_end_ = false;
  uint64_t answers_before_end_ = 0;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_BUFFER_GUARD_H_
