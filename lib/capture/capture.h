// SPDX-License-Identifier: Apache-2.0
//
// A capture is one recording, from start to snapshot: the GPU source, the collector, the status.
// Session and the injection entry are two ways to own one. There is at most one active capture in a
// process, because CUPTI's and NVTX's callbacks carry no user data.
#ifndef PROF_LIB_CAPTURE_CAPTURE_H_
#define PROF_LIB_CAPTURE_CAPTURE_H_

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "lib/capture/collector/collector.h"
#include "lib/capture/collector/gpu_source.h"
#include "lib/capture/process/fork_guard.h"
#include "lib/capture/process/mutex.h"
#include "prof/session.h"
#include "prof/snapshot.h"

namespace prof::capture {

class Capture {
 public:
  // Starts a recording, or returns null and fills `why` when one is active.
  [[nodiscard]] static std::unique_ptr<Capture> Start(SessionOptions options, bool injected,
                                                      std::vector<std::string> complaints,
                                                      SubsystemStatus* why);
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  [[nodiscard]] Status status() const;
  // In a forked child the source's locks may be held by threads that it does not have.
  [[nodiscard]] bool counters_complete() const {
    return !InForkedChild() && source_ != nullptr && source_->counters_complete();
  }
  [[nodiscard]] bool counters_pending() const {
    return !InForkedChild() && source_ != nullptr && source_->counters_pending();
  }
  [[nodiscard]] bool Synchronize(std::chrono::milliseconds timeout);
  // Waits for the GPU, half of `timeout` at most, then for the collector.
  [[nodiscard]] bool Pause(std::chrono::milliseconds timeout);
  [[nodiscard]] bool Resume(std::chrono::milliseconds timeout);
  [[nodiscard]] bool Step();
  [[nodiscard]] bool Dump(const std::string& path, std::chrono::milliseconds timeout);
  // Lets `prof ctl` control the recording from now on. Of a capture that is never destroyed.
  // Returns why it cannot; empty: it does.
  [[nodiscard]] std::string StartControl();
  // Ends the recording. A GPU that is still at work after half of `timeout` leaves it incomplete,
  // with its trailer. When CUPTI does not answer within `timeout`, or before the
  // deadline of an exit() that has begun, what was written so far is the snapshot, marked
  // incomplete, and no other recording starts in this process.
  Snapshot Stop(std::chrono::milliseconds timeout);

 private:
  Capture(SessionOptions options, bool injected);
  // On stderr, in the file, and in the status.
  void Complain(const std::vector<std::string>& complaints);
  // After a Stop that was not in time. `last`: the status that the collector saw last.
  void Abandon(const Status& last) PROF_REQUIRES(stop_mutex_);

  SessionOptions options_;
  SubsystemStatus options_status_{State::kWorking, 0, "", ""};
  const bool injected_;
  std::unique_ptr<GpuSource> source_;
  std::unique_ptr<Collector> collector_;
  std::atomic<bool> ended_{false};  // by a Stop that was in time
  Mutex stop_mutex_;                // an exit may come in the middle of a Stop
  Snapshot snapshot_;
  bool stopped_ PROF_GUARDED_BY(stop_mutex_) = false;
  std::atomic<bool> unfinished_{false};  // the GPU was still at work
  std::atomic<bool> reported_other_stop_{false};
  Status abandoned_status_;  // used once the source is gone
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_CAPTURE_H_
