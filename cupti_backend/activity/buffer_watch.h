// SPDX-License-Identifier: Apache-2.0
//
// The buffer watch finds out whether CUPTI's records still come to us. A process has one pair of
// buffer callbacks: a profiler that registers its own (torch.profiler does) gets all records from
// then on, without a message to us.
//
// Launches that are counted while no buffer comes prove nothing: a long kernel holds its buffer
// back. So a probe tests a suspicion: an API call of the collector thread, whose record goes into a
// buffer of that thread. A missing answer counts only in a process that has answered a probe
// before, or in which CUPTI has never asked us for a buffer. And where there is a record of each
// launch, nothing was taken, whatever is answered. That is not known any more once the program has
// launched a graph, captured a launch, or had one fail: these count as launches and have no record.
#ifndef PROF_CUPTI_BACKEND_ACTIVITY_BUFFER_WATCH_H_
#define PROF_CUPTI_BACKEND_ACTIVITY_BUFFER_WATCH_H_

#include <cstdint>

namespace prof::cupti {

// The collector thread's bookkeeping. It makes no call to CUPTI.
class BufferWatch {
 public:
  // What is known once CUPTI's complete records were flushed and decoded.
  struct Observation {
    int64_t now_ns = 0;     // monotonic
    uint64_t launches = 0;  // counted by the callback; these three only grow
    uint64_t buffers = 0;   // that CUPTI asked us for, and handed over
    uint64_t answers = 0;   // records of probes
    uint64_t recorded = 0;  // launches whose records have come, or that CUPTI did not trace
    // Launches since the last check were on threads that torch.profiler records, or does not
    // record.
    bool torch_on = false, torch_off = false;
  };
  enum class Act {
    kNothing,
    kProbe,          // make the call
    kReportTaken,    // the records go to another profiler
    kRegisterAgain,  // the other profiler is gone: register the buffers again
    kReportBack,     // the records come to us again
  };

  Act Check(const Observation& seen);
  // The probe could not be made: there will be no answer.
  void ForgetProbe() { probed_ = false; }

  // Time since torch.profiler last recorded. Its warm-up takes the buffers too, without a sign of
  // it; it lasts for some steps of the program.
  static constexpr int64_t kGoneNs = 10'000'000'000;

  // At the end of a recording: whether the records went elsewhere just before it. A probe was made
  // when `answers_before_probe` were there, and had its time.
  bool End(const Observation& seen, uint64_t answers_before_probe);

  bool taken() const { return taken_; }
  // Launches whose records went elsewhere, up to the last check. An estimate: all launches between
  // two checks count, though the first ones may have been recorded.
  uint64_t launches_missed() const { return missed_before_ + missed_; }

 private:
  static constexpr int64_t kSuspiciousNs = 500'000'000;
  // Probes to learn whether they are answered: at the first checks, and later when a buffer came.
  static constexpr int kTrials = 3;

  bool TriesProbe(bool came);
  Act CheckWhileTaken(const Observation& seen);
  void MarkTaken(uint64_t launches);

  bool taken_ = false, probed_ = false, registered_again_ = false;
  int trials_ = 0, late_trials_ = 0;
  uint64_t answers_ = 0;
  uint64_t buffers_ = 0, launches_ = 0;  // when the last buffer came
  uint64_t last_launches_ = 0;           // at the last check
  uint64_t first_missed_ = 0;            // launches from this one on are missed, if any are
  int64_t waiting_since_ns_ = 0;         // for records of later launches; 0: there are none
  int64_t torch_off_since_ns_ = 0;       // 0: it records, or this is unknown
  uint64_t missed_ = 0, missed_before_ = 0;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_ACTIVITY_BUFFER_WATCH_H_
