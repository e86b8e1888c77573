// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/windows/window_plan.h"

#include <algorithm>

namespace prof::capture {
namespace {

int64_t Nanoseconds(double seconds) { return static_cast<int64_t>(seconds * 1e9); }

std::optional<DutyCycle> DutyOf(const SessionOptions& options, int64_t start_ns) {
  if (!RecordsShare(options)) return std::nullopt;
  return DutyCycle(options.duty_percent, start_ns, static_cast<uint64_t>(start_ns));
}

}  // namespace

// Windows of code begin where the code does, which is not at random.
bool RecordsShare(const SessionOptions& options) {
  return options.duty_percent > 0 && options.duty_percent < 100 && !options.profiler_api &&
         options.window_ranges.empty() && options.step_active == 0;
}

WindowPlan::WindowPlan(const SessionOptions& options, int64_t start_ns)
    : begin_ns_(start_ns + Nanoseconds(options.delay_seconds)),
      end_ns_(options.duration_seconds > 0 ? begin_ns_ + Nanoseconds(options.duration_seconds) : 0),
      profiler_api_(options.profiler_api),
      ranges_(!options.window_ranges.empty()),
      step_calls_(options.step_ranges.empty()),
      most_windows_(options.window_count),
      skip_(options.step_skip),
      wait_(options.step_wait),
      warmup_(options.step_warmup),
      active_(options.step_active),
      repeat_(options.step_repeat),
      duty_(DutyOf(options, start_ns)),
      any_(duty_.has_value() || options.delay_seconds > 0 || end_ns_ != 0 || profiler_api_ ||
           ranges_ || active_ > 0) {
  // The first step that Session::Step() ends began with the session.
  if (step_calls_) OnStepBegin();
}

bool WindowPlan::InTime(int64_t now_ns) const {
  return now_ns >= begin_ns_ && (end_ns_ == 0 || now_ns < end_ns_);
}

// Steps count from 0.
Phase WindowPlan::PhaseOfStep(int64_t step) const {
  if (step < skip_) return Phase::kPaused;
  const int64_t cycle = wait_ + warmup_ + active_;
  const int64_t place = (step - skip_) % cycle;
  if (repeat_ > 0 && (step - skip_) / cycle >= repeat_) return Phase::kPaused;
  if (place < wait_) return Phase::kPaused;
  return place < wait_ + warmup_ ? Phase::kWarmUp : Phase::kRecording;
}

bool WindowPlan::CodeIsOpen() const {
  return (!profiler_api_ || profiler_open_) && (!ranges_ || open_ranges_ > 0);
}

void WindowPlan::OnCodeOpen(bool was_open) {
  if (!was_open && CodeIsOpen()) ++windows_;
}

void WindowPlan::OnProfilerApi(bool start) {
  const bool was_open = CodeIsOpen();
  profiler_open_ = start;
  OnCodeOpen(was_open);
}

void WindowPlan::OnWindow(bool begin) {
  const bool was_open = CodeIsOpen();
  open_ranges_ = std::max<int64_t>(0, open_ranges_ + (begin ? 1 : -1));
  OnCodeOpen(was_open);
}

void WindowPlan::OnStepBegin() {
  ++steps_;
  in_step_ = true;
}

void WindowPlan::OnStepEnd() { in_step_ = false; }

// Between two steps it is the phase of the next one, so that it has begun when the step does.
Phase WindowPlan::PhaseOfCode() const {
  if (!CodeIsOpen()) return Phase::kPaused;
  if ((profiler_api_ || ranges_) && most_windows_ > 0 && windows_ > most_windows_) {
    return Phase::kPaused;
  }
  if (active_ == 0) return Phase::kRecording;
  return PhaseOfStep(in_step_ ? steps_ - 1 : steps_);
}

Phase WindowPlan::PhaseAt(int64_t now_ns) const {
  const Phase phase = InTime(now_ns) ? PhaseOfCode() : Phase::kPaused;
  const bool rests = phase == Phase::kRecording && duty_ && !duty_->Wants(now_ns);
  return rests ? Phase::kPaused : phase;
}

bool WindowPlan::CountsAt(int64_t now_ns) const {
  return duty_ && InTime(now_ns) && PhaseOfCode() == Phase::kRecording;
}

void WindowPlan::Reached(Phase phase, int64_t now_ns) {
  if (duty_) duty_->Reached(phase == Phase::kRecording, now_ns);
}

}  // namespace prof::capture
