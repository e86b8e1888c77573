// SPDX-License-Identifier: Apache-2.0
//
// The duty cycle decides when a recording that traces a part of the time does so: in windows that
// begin at random moments, so that no rhythm of the program hides from them. It knows no clock and
// no thread.
#ifndef PROF_LIB_CAPTURE_WINDOWS_DUTY_CYCLE_H_
#define PROF_LIB_CAPTURE_WINDOWS_DUTY_CYCLE_H_

#include <cstdint>
#include <random>

namespace prof::capture {

class DutyCycle {
 public:
  // A window is a part of a second, but no shorter and no longer than these: a shorter one is all
  // beginning and end, and of longer ones there would be few.
  static constexpr int64_t kShortestNs = 20'000'000, kLongestNs = 100'000'000;

  // `percent` of the time is traced, 0 < percent < 100. `start_ns`: by the clock of the members.
  // The recording traces when it starts, and is to rest at once.
  DutyCycle(double percent, int64_t start_ns, uint64_t seed);

  [[nodiscard]] bool Wants(int64_t now_ns) const {
    return traces_ ? now_ns < end_ns_ : now_ns >= begin_ns_;
  }
  // Tracing is on, or off, from now on: at each change, and any number of times. A window that took
  // longer than it should, because the GPU was behind, is followed by a longer time without: the
  // share stays what it is.
  void Reached(bool traces, int64_t now_ns);

 private:
  // From the end of a window of `window_ns` to the next one.
  int64_t DrawRest(int64_t window_ns);

  const double percent_;
  const int64_t window_ns_;
  std::minstd_rand random_;
  bool traces_ = true, started_ = false;
  int64_t begin_ns_ = 0, end_ns_ = 0;  // of the next window, of this one
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_WINDOWS_DUTY_CYCLE_H_
