// SPDX-License-Identifier: Apache-2.0
//
// Whether CUPTI's records still come to us. A process has one pair of buffer callbacks: a profiler
// that registers its own (torch.profiler does) gets all records from then on, and nobody is told.
//
// Launches that are counted while no buffer comes are no proof: a long kernel holds its buffer
// back. So a suspicion is tested by a probe, an API call of the collector thread whose record goes
// into a buffer of that thread's own. Only a process in which a probe has been answered before is
// judged by one that is not; and one in which CUPTI never asked us for a buffer at all.
#ifndef PROF_CUPTI_BACKEND_ACTIVITY_BUFFER_WATCH_H_
#define PROF_CUPTI_BACKEND_ACTIVITY_BUFFER_WATCH_H_

#include <cstdint>

namespace prof::cupti {

// Bookkeeping of the collector thread; makes no call.
class BufferWatch {
 public:
  // What is known after CUPTI was asked for what is complete, and that was decoded.
  struct Sight {
    int64_t now_ns = 0;     // monotonic
    uint64_t launches = 0;  // counted by the callback; these three only grow
    uint64_t buffers = 0;   // that CUPTI asked us for, and handed over
    uint64_t answers = 0;   // records of probes
    // Launches since the last look were on threads that torch.profiler records, or does not.
    bool torch_on = false, torch_off = false;
  };
  enum class Act {
    kNothing,
    kProbe,          // make the call
    kReportTaken,    // say that the records go elsewhere
    kRegisterAgain,  // the other one is gone: register again
    kReportBack,     // say that they come again
  };

  Act Check(const Sight& sight);

  // The end of a recording: whether the records went elsewhere just before it. A probe was made,
  // and had its time, when `answers_before_probe` were there.
  bool End(const Sight& sight, uint64_t answers_before_probe);

  bool taken() const { return taken_; }
  // Launches whose records went elsewhere, up to the last look. About: those between two looks, of
  // which the first ones may have been recorded, all count.
  uint64_t launches_missed() const { return missed_before_ + missed_; }

 private:
  static constexpr int64_t kSuspiciousNs = 500'000'000;
  // Probes to find out whether they are answered: at the first looks, and later when a buffer came.
  static constexpr int kTrials = 20;
  // Since torch.profiler was last at work. Its warm-up takes the buffers, too, but does not say so;
  // it lasts for some steps of the program.
  static constexpr int64_t kGoneNs = 10'000'000'000;

  bool TriesProbe(bool came);
  Act CheckWhileTaken(const Sight& sight);
  void Take(uint64_t launches);

  bool taken_ = false, probed_ = false, registered_again_ = false;
  int trials_ = 0, late_trials_ = 0;
  uint64_t answers_ = 0;
  uint64_t buffers_ = 0, launches_ = 0;  // when the last buffer came
  uint64_t last_launches_ = 0;           // at the look before
  uint64_t first_missed_ = 0;            // launches from this one on are missed, if any are
  int64_t waiting_since_ns_ = 0;         // for records of later launches; 0: there are none
  int64_t torch_off_since_ns_ = 0;       // 0: it is at work, or nobody can tell
  uint64_t missed_ = 0, missed_before_ = 0;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_ACTIVITY_BUFFER_WATCH_H_
