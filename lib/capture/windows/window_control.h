// SPDX-License-Identifier: Apache-2.0
//
// The window control stands between the program's threads, which open and close windows, and the
// collector, which pauses and resumes the recording. A thread that opens one waits until it
// records.
#ifndef PROF_LIB_CAPTURE_WINDOWS_WINDOW_CONTROL_H_
#define PROF_LIB_CAPTURE_WINDOWS_WINDOW_CONTROL_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/capture/process/mutex.h"
#include "lib/capture/windows/path_filter.h"
#include "lib/capture/windows/window_plan.h"
#include "prof/session.h"

namespace prof::capture {

// How long the program waits at the beginning of a window. Resuming takes some milliseconds; a
// collector that is in a long round needs more.
constexpr std::chrono::milliseconds kWindowWait(250);

// A step that has ended. path: an id of the thread registry; 0: Session::Step().
struct StepTime {
  uint32_t path = 0;
  int64_t duration_ns = 0;
};

class WindowControl {
 public:
  // `wake` wakes the collector.
  WindowControl(const SessionOptions& options, void (*wake)());
  ~WindowControl() = default;
  WindowControl(const WindowControl&) = delete;
  WindowControl& operator=(const WindowControl&) = delete;

  // Whether there are windows; without them Wanted() is kRecording until somebody holds it.
  [[nodiscard]] bool has_windows() const { return has_windows_; }
  // "no NVTX range matched 'x'": why no window was opened.
  [[nodiscard]] const std::string& why_closed() const { return why_closed_; }

  // From now on the program's threads reach this control. By the thread that starts the recording.
  void Open();
  // No longer, and nobody waits any more. Any thread, any number of times. False: a thread is still
  // in a call of this control, so it must not be freed. Waits for such threads, a second at most.
  [[nodiscard]] bool Close();

  // --- The program's threads; short calls under a lock, at windows and steps only ---------------

  static void OnProfilerApi(bool start);
  static void OnRange(uint32_t path, uint32_t token, bool entered);
  // Session::Step(). False: nobody counts such steps.
  [[nodiscard]] bool Step();

  // --- The collector's thread --------------------------------------------------------------------

  [[nodiscard]] Phase Wanted(int64_t now_ns);
  // The recording begins to leave its phase, which takes until Reached(): a window that opens
  // meanwhile waits for it. False: a window has opened that wants the phase, so stay.
  [[nodiscard]] bool Leave(int64_t now_ns);
  void Reached(Phase phase, int64_t now_ns);
  // Launches are counted, whether it records or not.
  [[nodiscard]] bool Counts(int64_t now_ns);
  // Somebody has paused or resumed the recording by hand: windows decide nothing any more.
  void Hold(Phase phase);
  // The steps that ended since the last call, at most kMostSteps of them.
  static constexpr size_t kMostSteps = 4096;
  [[nodiscard]] std::vector<StepTime> TakeSteps();

 private:
  void HandleRange(uint32_t path, uint32_t token, bool entered);
  void HandleProfilerApi(bool start);
  void AddStep(StepTime step) PROF_REQUIRES(mutex_);
  [[nodiscard]] Phase WantedNow(int64_t now_ns) const PROF_REQUIRES(mutex_);
  // Wakes the collector where it has something to do, and waits for the beginning of a window.
  void Settle(Deadline deadline) PROF_REQUIRES(mutex_);

  void (*const wake_)();
  const bool has_windows_, has_steps_, step_calls_, times_steps_;
  const std::string why_closed_;
  PathFilter window_filter_, step_filter_;
  const uint64_t number_;  // of this control, from 1

  Mutex mutex_;
  std::condition_variable reached_changed_;
  WindowPlan plan_ PROF_GUARDED_BY(mutex_);
  std::optional<Phase> held_ PROF_GUARDED_BY(mutex_);
  std::optional<Phase> reached_ PROF_GUARDED_BY(mutex_) = Phase::kRecording;  // none: it changes
  bool open_ PROF_GUARDED_BY(mutex_) = false;
  int64_t step_began_ns_ PROF_GUARDED_BY(mutex_);  // of Session::Step()
  std::vector<StepTime> steps_ PROF_GUARDED_BY(mutex_);
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WINDOWS_WINDOW_CONTROL_H_
