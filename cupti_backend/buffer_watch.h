// SPDX-License-Identifier: Apache-2.0
//
// Whether CUPTI's records still come to us. A process has one pair of buffer callbacks: a profiler
// that registers its own (torch.profiler does) gets all records from then on, and nobody is told.
//
// Launches that are counted while no buffer comes are no proof: a long kernel holds its buffer
// back. So a suspicion is tested by a probe, an API call of the collector thread whose record goes
// into a buffer of that thread's own. Only a process in which a probe has been answered before is
// judged by one that is not.
#ifndef PROF_CUPTI_BACKEND_BUFFER_WATCH_H_
#define PROF_CUPTI_BACKEND_BUFFER_WATCH_H_

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
    kProbe,        // make the call
    kTaken,        // say that the records go elsewhere
    kTakeUpAgain,  // the other one is gone: register again
    kBack,         // say that they come again
  };

  Act Look(const Sight& sight);

  bool taken() const { return taken_; }
  // Launches whose records went elsewhere, up to the last look.
  uint64_t launches_missed() const { return missed_before_ + missed_; }

 private:
  static constexpr int64_t kSuspiciousNs = 500'000'000;
  static constexpr int kTrials = 20;  // probes to find out whether they are answered
  // After torch.profiler was seen at work, and then no more; or when it was never seen at work: its
  // warm-up takes the buffers, too, and lasts for a step of the program.
  static constexpr int64_t kGoneNs = 2'000'000'000, kNeverSeenNs = 10'000'000'000;

  Act LookWhileTaken(const Sight& sight);

  bool taken_ = false, probed_ = false, registered_again_ = false;
  int trials_ = 0;
  uint64_t buffers_ = 0, launches_ = 0;  // when the last buffer came
  int64_t waiting_since_ns_ = 0;         // for records of later launches; 0: there are none
  bool torch_seen_ = false;
  int64_t torch_off_since_ns_ = 0;  // 0: it is at work, or nobody can tell
  uint64_t missed_ = 0, missed_before_ = 0;
};

}  // namespace prof::cupti

#endif  // PROF_CUPTI_BACKEND_BUFFER_WATCH_H_
