// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/windows/window_plan.h"

#include <string>

#include "test/support/catch.h"

namespace prof::capture::window_plan_test {
namespace {

constexpr int64_t kSecond = 1'000'000'000, kStart = 100 * kSecond;

char Letter(Phase phase) {
  return phase == Phase::kPaused ? '-' : phase == Phase::kWarmUp ? 'w' : 'R';
}

// The phase within each of `count` steps.
std::string Steps(const SessionOptions& options, int count) {
  WindowPlan plan(options, kStart);
  std::string phases;
  for (int i = 0; i < count; ++i) {
    plan.OnStepBegin();
    phases += Letter(plan.PhaseAt(kStart));
    plan.OnStepEnd();
  }
  return phases;
}

TEST_CASE("Without options there is no window, and all is recorded") {
  const WindowPlan plan({}, kStart);
  CHECK_FALSE(plan.any());
  CHECK(plan.PhaseAt(kStart) == Phase::kRecording);
}

TEST_CASE("A delay and a duration are a window in time") {
  SessionOptions options;
  options.delay_seconds = 2;
  options.duration_seconds = 3;
  const WindowPlan plan(options, kStart);
  CHECK(plan.any());
  CHECK(plan.PhaseAt(kStart + 2 * kSecond - 1) == Phase::kPaused);
  CHECK(plan.PhaseAt(kStart + 2 * kSecond) == Phase::kRecording);
  CHECK(plan.PhaseAt(kStart + 5 * kSecond - 1) == Phase::kRecording);
  CHECK(plan.PhaseAt(kStart + 5 * kSecond) == Phase::kPaused);
}

TEST_CASE("The profiler API is on or off, however often it is called") {
  SessionOptions options;
  options.profiler_api = true;
  WindowPlan plan(options, kStart);
  CHECK(plan.PhaseAt(kStart) == Phase::kPaused);
  plan.OnProfilerApi(true);
  plan.OnProfilerApi(true);
  CHECK(plan.PhaseAt(kStart) == Phase::kRecording);
  plan.OnProfilerApi(false);
  CHECK(plan.PhaseAt(kStart) == Phase::kPaused);
}

TEST_CASE("A window of ranges is open while one of any thread is, and only the first ones count") {
  SessionOptions options;
  options.window_ranges = "step";
  options.window_count = 2;
  WindowPlan plan(options, kStart);
  std::string phases;
  plan.OnWindow(true);
  plan.OnWindow(true);  // on another thread: the same window
  plan.OnWindow(false);
  phases += Letter(plan.PhaseAt(kStart));
  plan.OnWindow(false);
  phases += Letter(plan.PhaseAt(kStart));
  for (int i = 0; i < 2; ++i) {
    plan.OnWindow(true);
    phases += Letter(plan.PhaseAt(kStart));
    plan.OnWindow(false);
  }
  CHECK(phases == "R-R-");
}

TEST_CASE("A schedule of steps skips, waits, warms up, records, and repeats") {
  SessionOptions options;
  options.step_ranges = "step";
  options.step_skip = 2;
  options.step_wait = 1;
  options.step_warmup = 1;
  options.step_active = 2;
  CHECK(Steps(options, 12) == "---wRR-wRR-w");
  options.step_repeat = 1;
  CHECK(Steps(options, 12) == "---wRR------");
}

TEST_CASE("Between two steps it is already the phase of the next one") {
  SessionOptions options;
  options.step_ranges = "step";
  options.step_wait = 1;
  options.step_active = 1;
  WindowPlan plan(options, kStart);
  CHECK(plan.PhaseAt(kStart) == Phase::kPaused);
  plan.OnStepBegin();
  plan.OnStepEnd();
  CHECK(plan.PhaseAt(kStart) == Phase::kRecording);
  plan.OnStepBegin();
  plan.OnStepEnd();
  CHECK(plan.PhaseAt(kStart) == Phase::kPaused);
}

TEST_CASE("Without ranges the first step began with the session") {
  SessionOptions options;
  options.step_active = 1;
  options.step_repeat = 1;
  WindowPlan plan(options, kStart);
  CHECK(plan.steps() == 1);
  CHECK(plan.PhaseAt(kStart) == Phase::kRecording);
  plan.OnStepEnd();
  plan.OnStepBegin();
  CHECK(plan.PhaseAt(kStart) == Phase::kPaused);
}

TEST_CASE("What is set has to hold together") {
  SessionOptions options;
  options.delay_seconds = 1;
  options.profiler_api = true;
  options.window_ranges = "x";
  WindowPlan plan(options, kStart);
  plan.OnProfilerApi(true);
  CHECK(plan.PhaseAt(kStart + kSecond) == Phase::kPaused);
  plan.OnWindow(true);
  CHECK(plan.PhaseAt(kStart + kSecond) == Phase::kRecording);
  CHECK(plan.PhaseAt(kStart) == Phase::kPaused);
}

}  // namespace
}  // namespace prof::capture::window_plan_test
