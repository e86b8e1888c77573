// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/collector/window_service.h"

#include <optional>
#include <string>
#include <utility>

#include "lib/capture/process/clock.h"
#include "lib/capture/process/complain.h"

namespace prof::capture {
namespace {

constexpr int64_t kGpuNs = 10'000'000'000;      // as long as Session::Pause()
constexpr int64_t kPauseAgainNs = 200'000'000;  // a launch did not return

constexpr char kStillBusy[] =
    "the GPU was at work for 10 s after the end of a window: operations that had not ended may be "
    "missing";

constexpr char kNotWaited[] =
    "the GPU was not waited for at the end of a window, because a stream was being captured for 2 "
    "s "
    "or a context has failed: operations that had not ended may be missing";

}  // namespace

WindowService::WindowService(const SessionOptions& options, GpuSource* source,
                             SnapshotWriter* writer, StatusBoard* status, void (*wake)())
    : source_(source),
      writer_(*writer),
      status_(*status),
      control_(std::make_unique<WindowControl>(options, wake)),
      wait_(wake),
      recording_since_ns_(RealtimeNs()) {}

WindowService::~WindowService() {
  if (!control_->Close()) (void)control_.release();  // a thread of the program is in it
}

void WindowService::Reached() {
  const Phase phase = writer_.phase();
  paused_.store(phase != Phase::kRecording, std::memory_order_relaxed);
  if (phase == Phase::kRecording) {
    opened_ = true;
    recording_since_ns_ = RealtimeNs();
  }
  control_->Reached(phase, MonotonicNs());
}

void WindowService::Serve(int64_t now_ns) {
  if (!control_->has_windows()) return;
  source_->CountLaunches(control_->Counts(now_ns));
  const Phase wanted = control_->Wanted(now_ns), phase = writer_.phase();
  if (wanted == phase) {
    opened_ = opened_ || phase == Phase::kRecording;
    wait_is_old_ = true;  // if one runs: the window went on
  } else if (wanted == Phase::kPaused || (wanted == Phase::kWarmUp && phase == Phase::kRecording)) {
    CloseWindow(now_ns);
  } else {
    Open(wanted);
  }
}

void WindowService::Open(Phase wanted) {
  if (wanted == Phase::kRecording ? writer_.Resume() : writer_.WarmUp()) Reached();
}

// Waits for the GPU without holding anything up; what is launched meanwhile is recorded as well.
// Before the first window nothing is waited for.
void WindowService::CloseWindow(int64_t now_ns) {
  if (now_ns < pause_again_ns_) return;
  if (!opened_ || writer_.phase() == Phase::kWarmUp) return PauseAtEnd(now_ns);
  if (const std::optional<bool> waited = wait_.Take()) {
    source_->Flush();
    if (!wait_is_old_) {
      if (!*waited) {
        status_.AddNotice(
            {Severity::kWarning, Subsystem::kTimeline, 0, kNotWaited,
             "leave a stream capture out of the windows, or see the program's errors"});
      }
      return PauseAtEnd(now_ns);
    }
  }
  if (wait_.running()) {
    if (now_ns < wait_until_ns_) return;
    wait_.GiveUp();
    status_.AddNotice({Severity::kWarning, Subsystem::kTimeline, 0, kStillBusy, ""});
    return PauseAtEnd(now_ns);
  }
  GpuWait::Work work = source_->WaitForGpu();
  if (!work) return PauseAtEnd(now_ns);
  wait_is_old_ = false;
  wait_until_ns_ = now_ns + kGpuNs;
  wait_.Start(std::move(work));
}

void WindowService::PauseAtEnd(int64_t now_ns) {
  if (!control_->Leave(MonotonicNs())) return;
  if (!writer_.Pause()) pause_again_ns_ = now_ns + kPauseAgainNs;
  Reached();
}

bool WindowService::Pause() {
  const bool paused = writer_.Pause();
  if (writer_.phase() != Phase::kRecording) control_->Hold(writer_.phase());
  Reached();
  return paused;
}

bool WindowService::Resume() {
  const bool resumed = writer_.Resume();
  if (writer_.phase() == Phase::kRecording) control_->Hold(Phase::kRecording);
  Reached();
  return resumed;
}

void WindowService::Close() {
  (void)control_->Close();
  if (!control_->has_windows() || opened_) return;
  const std::string what =
      "nothing was recorded, because no window opened: " + control_->why_closed();
  Complain("prof: %s\n", what.c_str());
  status_.AddNotice(
      {Severity::kWarning, Subsystem::kOptions, 0, what, "change the options of the windows"});
}

}  // namespace prof::capture
