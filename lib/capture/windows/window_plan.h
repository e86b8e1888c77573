// SPDX-License-Identifier: Apache-2.0
//
// The window plan decides when a recording records: from the time, the profiler API, open ranges,
// steps and the share of the time. It knows no clock and no thread.
#ifndef PROF_LIB_CAPTURE_WINDOWS_WINDOW_PLAN_H_
#define PROF_LIB_CAPTURE_WINDOWS_WINDOW_PLAN_H_

#include <cstdint>
#include <optional>

#include "lib/capture/windows/duty_cycle.h"
#include "prof/session.h"

namespace prof::capture {

enum class Phase {
  kPaused,
  kWarmUp,  // traced, and not kept
  kRecording
};

// A part of the time is recorded, at random, and launches count all the time.
[[nodiscard]] bool RecordsShare(const SessionOptions& options);

class WindowPlan {
 public:
  // `start_ns`: when the session began, by the clock of PhaseAt.
  WindowPlan(const SessionOptions& options, int64_t start_ns);

  // False: nothing is set, and it always records.
  [[nodiscard]] bool any() const { return any_; }

  // cudaProfilerStart or cudaProfilerStop. They do not nest.
  void OnProfilerApi(bool start);
  // A range that is a window began or ended. Ranges of several threads may be open.
  void OnWindow(bool begin);
  void OnStepBegin();
  void OnStepEnd();

  [[nodiscard]] Phase PhaseAt(int64_t now_ns) const;
  // It records a part of this time: launches are counted all of it.
  [[nodiscard]] bool CountsAt(int64_t now_ns) const;
  // The recording is in that phase from now on.
  void Reached(Phase phase, int64_t now_ns);

  // Steps that have begun.
  [[nodiscard]] int64_t steps() const { return steps_; }

 private:
  [[nodiscard]] bool InTime(int64_t now_ns) const;
  [[nodiscard]] Phase PhaseOfStep(int64_t step) const;
  [[nodiscard]] bool CodeIsOpen() const;
  void OnCodeOpen(bool was_open);
  [[nodiscard]] Phase PhaseOfCode() const;

  const int64_t begin_ns_, end_ns_;  // end_ns_ 0: none
  const bool profiler_api_, ranges_, step_calls_;
  const int64_t most_windows_, skip_, wait_, warmup_, active_, repeat_;
  std::optional<DutyCycle> duty_;  // none: all of the time that the rest allows
  const bool any_;
  bool profiler_open_ = false;
  int64_t open_ranges_ = 0, windows_ = 0;
  int64_t steps_ = 0;  // that have begun
  bool in_step_ = false;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WINDOWS_WINDOW_PLAN_H_
