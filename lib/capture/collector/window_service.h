// SPDX-License-Identifier: Apache-2.0
//
// The window service pauses and resumes the recording at the ends of windows.
#ifndef PROF_LIB_CAPTURE_COLLECTOR_WINDOW_SERVICE_H_
#define PROF_LIB_CAPTURE_COLLECTOR_WINDOW_SERVICE_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "lib/capture/collector/gpu_source.h"
#include "lib/capture/collector/gpu_wait.h"
#include "lib/capture/collector/snapshot_writer.h"
#include "lib/capture/collector/status_board.h"
#include "lib/capture/windows/window_control.h"
#include "prof/session.h"

namespace prof::capture {

// The collector's thread, unless a member says otherwise.
class WindowService {
 public:
  // All pointers outlive this. `wake` wakes the collector.
  WindowService(const SessionOptions& options, GpuSource* source, SnapshotWriter* writer,
                StatusBoard* status, void (*wake)());
  ~WindowService();
  WindowService(const WindowService&) = delete;
  WindowService& operator=(const WindowService&) = delete;

  // Any thread.
  [[nodiscard]] WindowControl& control() { return *control_; }
  // Any thread: the recording is paused, by hand or outside of its windows.
  [[nodiscard]] bool paused() const { return paused_.load(std::memory_order_relaxed); }

  // In each round.
  void Serve(int64_t now_ns);
  // By hand: windows decide nothing any more.
  [[nodiscard]] bool Pause();
  [[nodiscard]] bool Resume();
  // At the end: no thread of the program waits for a window any more. Prints why nothing was
  // recorded, if no window opened.
  void Close();

  // By CLOCK_REALTIME: since when it records without a pause.
  [[nodiscard]] int64_t recording_since_ns() const { return recording_since_ns_; }

 private:
  void Reached();
  void Open(Phase wanted);
  void CloseWindow(int64_t now_ns);
  void PauseAtEnd(int64_t now_ns);

  GpuSource* const source_;
  SnapshotWriter& writer_;
  StatusBoard& status_;
  std::unique_ptr<WindowControl> control_;
  GpuWait wait_;
  bool wait_is_old_ = false;  // it began at the end of a window before
  int64_t wait_until_ns_ = 0;
  int64_t pause_again_ns_ = 0;  // the source could not: not before this
  bool opened_ = false;
  int64_t recording_since_ns_ = 0;
  std::atomic<bool> paused_{false};
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_COLLECTOR_WINDOW_SERVICE_H_
