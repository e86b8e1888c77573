// SPDX-License-Identifier: Apache-2.0
//
// The tick clock gives the program's threads a time that is cheaper than clock_gettime(): they read
// the processor's counter, and the collector turns that into CLOCK_REALTIME.
#ifndef PROF_LIB_CAPTURE_THREADS_TICK_CLOCK_H_
#define PROF_LIB_CAPTURE_THREADS_TICK_CLOCK_H_

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/capture/process/clock.h"

namespace prof::capture {

// Whether ticks are those of the processor's counter. They are where the kernel keeps its own time
// by it: then it runs at one rate, and alike on all processors. Elsewhere ticks are nanoseconds of
// CLOCK_REALTIME. Set when the library is loaded, and never again.
extern bool ticks_are_counter;

// The time stamp counter of x86-64; the generic timer of aarch64, which counts at 1 GHz on Grace
// and at 25 to 62 MHz on older processors. Both are what clock_gettime() reads there.
[[nodiscard]] inline int64_t ReadCounter() {
#if defined(__x86_64__)
  return static_cast<int64_t>(__rdtsc());
#elif defined(__aarch64__)
  int64_t ticks = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return RealtimeNs();
#endif
}

// About 10 ns with the time stamp counter, 24 without (bench_nvtx, x86-64).
[[nodiscard]] inline int64_t NowTicks() { return ticks_are_counter ? ReadCounter() : RealtimeNs(); }

// One moment on both clocks.
struct TickPoint {
  int64_t ticks = 0;
  int64_t realtime_ns = 0;
  int64_t width = 0;  // ticks between the readings around `realtime_ns`: it is of one of these
};

// Returns the best of a few readings: within a few ten nanoseconds unless the thread was
// interrupted in each.
[[nodiscard]] TickPoint ReadTickPoint();

// Turns ticks into time, by straight lines between moments that Advance() gave it. Used by one
// thread. A line's error is at most the larger one of its ends, as long as the clock did not step
// between them. It keeps the last kLines moments, one a second of those before, and fewer of long
// recordings.
class TickClock {
 public:
  TickClock();  // knows the moment when the library was loaded, and this one
  explicit TickClock(const TickPoint& loaded) : anchors_{loaded} {}  // Advance() must follow

  // To be called before RealtimeOf() for ticks up to now.
  void Advance() { Advance(ReadTickPoint()); }
  void Advance(TickPoint now);

  // Never decreases with `ticks`, whatever Advance() learned between two calls, unless the clock
  // was set back or more than kLines calls of Advance() went by since `ticks`.
  [[nodiscard]] int64_t RealtimeOf(int64_t ticks) const;

  // Moments that came out before the one before them, by no more than both may be off: a thread was
  // interrupted in each of its readings. They are taken to be the same time.
  [[nodiscard]] uint64_t moments_moved() const { return moments_moved_; }

 private:
  static constexpr size_t kLines = 64;
  static constexpr size_t kAnchors = 1024;
  static constexpr int64_t kAnchorNs = 1'000'000'000;

  struct Line {  // begins at the end of the line before; the first one: at the moment of loading
    TickPoint end;
    double ns_per_tick = 1;
  };

  const Line& Back(size_t steps) const { return lines_[(count_ - 1 - steps) % kLines]; }
  int64_t FromAnchors(int64_t ticks) const;
  int64_t ErrorNs(const TickPoint& before, const TickPoint& now) const;

  std::vector<TickPoint> anchors_;  // sorted; the first one is the moment of loading
  std::array<Line, kLines> lines_;  // a ring
  size_t count_ = 0;
  uint64_t moments_moved_ = 0;
};

}  // namespace prof::capture

#endif  // PROF_LIB_CAPTURE_THREADS_TICK_CLOCK_H_
