// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/windows/duty_cycle.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "lib/capture/windows/window_plan.h"
#include "test/support/catch.h"

namespace prof::capture::duty_cycle_test {
namespace {

constexpr int64_t kSecond = 1'000'000'000, kRound = 1'000'000;

struct Window {
  int64_t begin_ns = 0, end_ns = 0;
};

// What a collector makes of the cycle that looks once in a millisecond, and needs `extra_ns` more
// to end a window. It traces when it starts, which is no window.
std::vector<Window> Windows(double percent, int64_t run_ns, uint64_t seed, int64_t extra_ns = 0) {
  DutyCycle cycle(percent, 0, seed);
  std::vector<Window> windows;
  bool traces = true, first = true;
  int64_t wanted_off_ns = 0;
  for (int64_t now_ns = 0; now_ns < run_ns; now_ns += kRound) {
    const bool wants = cycle.Wants(now_ns);
    if (wants && !traces) {
      windows.push_back({now_ns, run_ns});
      traces = true;
      cycle.Reached(true, now_ns);
    } else if (!wants && traces) {
      if (wanted_off_ns == 0) wanted_off_ns = now_ns;
      if (now_ns - wanted_off_ns < extra_ns) continue;
      wanted_off_ns = 0;
      if (!std::exchange(first, false)) windows.back().end_ns = now_ns;
      traces = false;
      cycle.Reached(false, now_ns);
    }
  }
  return windows;
}

double Share(const std::vector<Window>& windows, int64_t run_ns) {
  int64_t sum_ns = 0;
  for (const Window& window : windows) sum_ns += window.end_ns - window.begin_ns;
  return static_cast<double>(sum_ns) / static_cast<double>(run_ns);
}

TEST_CASE("The share of the time is the one that was asked for, also where windows end late") {
  for (const double percent : {1.0, 10.0, 50.0, 90.0}) {
    for (const int64_t extra_ns : {int64_t{0}, int64_t{70'000'000}}) {
      double share = 0;
      for (uint64_t seed = 1; seed <= 10; ++seed) {
        share += Share(Windows(percent, 400 * kSecond, seed, extra_ns), 400 * kSecond) / 10;
      }
      CAPTURE(percent, extra_ns);
      CHECK(share * 100 == Approx(percent).epsilon(0.08));
    }
  }
}

TEST_CASE("A recording that starts rests at once, however late its first look is") {
  for (const int64_t late_ns : {int64_t{0}, 5 * kSecond}) {
    DutyCycle cycle(90, 0, 1);
    CHECK_FALSE(cycle.Wants(late_ns));
    cycle.Reached(false, late_ns);
    CHECK(cycle.Wants(late_ns + kSecond));  // the rest is at most 22 ms
  }
  CHECK_FALSE(DutyCycle(1e-10, 0, 1).Wants(0));
  DutyCycle seldom(1e-10, 0, 1);
  seldom.Reached(false, 0);
  CHECK(seldom.Wants(4000 * kSecond));
}

TEST_CASE("A window is a part of a second, not shorter and not longer than its limits") {
  const auto first = [](double percent) { return Windows(percent, 400 * kSecond, 7).at(1); };
  const auto length_ns = [](const Window& window) { return window.end_ns - window.begin_ns; };
  CHECK(length_ns(first(0.5)) == DutyCycle::kShortestNs);
  CHECK(length_ns(first(5)) == 50'000'000);
  CHECK(length_ns(first(60)) == DutyCycle::kLongestNs);
}

TEST_CASE("Windows begin at moments that no rhythm of a program meets") {
  const std::vector<Window> windows = Windows(10, 600 * kSecond, 3);
  REQUIRE(windows.size() > 200);
  std::vector<int> of_phase(10);  // within a step of 100 ms
  for (const Window& window : windows) {
    ++of_phase[static_cast<size_t>(window.begin_ns / 10'000'000 % 10)];
  }
  CHECK(*std::min_element(of_phase.begin(), of_phase.end()) >=
        static_cast<int>(windows.size()) / 25);
  CHECK(Windows(10, 600 * kSecond, 4).front().begin_ns != windows.front().begin_ns);
}

TEST_CASE(
    "A recording of a part of the time rests within its other windows, and counts in all of them") {
  SessionOptions options;
  options.delay_seconds = 5;
  options.duration_seconds = 100;
  options.duty_percent = 10;
  WindowPlan plan(options, 0);
  CHECK(plan.any());
  int64_t recorded_ns = 0;
  for (int64_t now_ns = 0; now_ns < 120 * kSecond; now_ns += kRound) {
    const Phase phase = plan.PhaseAt(now_ns);
    plan.Reached(phase, now_ns);
    const bool in_time = now_ns >= 5 * kSecond && now_ns < 105 * kSecond;
    REQUIRE(plan.CountsAt(now_ns) == in_time);
    if (!in_time) REQUIRE(phase == Phase::kPaused);
    if (phase == Phase::kRecording) recorded_ns += kRound;
  }
  CHECK(recorded_ns > 5 * kSecond);
  CHECK(recorded_ns < 20 * kSecond);
}

TEST_CASE("All of the time and none of it are no duty") {
  SessionOptions options;
  for (const double percent : {0.0, 100.0}) {
    options.duty_percent = percent;
    WindowPlan plan(options, 0);
    CHECK_FALSE(plan.any());
    CHECK(plan.PhaseAt(kSecond) == Phase::kRecording);
    CHECK_FALSE(plan.CountsAt(kSecond));
  }
}

}  // namespace
}  // namespace prof::capture::duty_cycle_test
