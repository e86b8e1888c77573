// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/tick_clock.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace prof::capture {
namespace {

// The kernel's clock source when it is what ReadCounter() reads.
#if defined(__x86_64__)
constexpr char kCounter[] = "tsc\n";
#elif defined(__aarch64__)
constexpr char kCounter[] = "arch_sys_counter\n";
#else
constexpr char kCounter[] = "none";
#endif

// The kernel drops the counter as soon as it finds it unsteady or different between processors.
bool KernelTrustsCounter() {
  const int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                        O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char name[32] = {};
  const ssize_t size = read(file, name, sizeof(name) - 1);
  close(file);
  return size > 0 && std::strcmp(name, kCounter) == 0;
}

double NsPerTick(const TickPoint& from, const TickPoint& to) {
  const int64_t run = to.ticks - from.ticks;
  return run > 0 ? static_cast<double>(to.realtime_ns - from.realtime_ns) / static_cast<double>(run)
                 : 1.0;
}

TickPoint at_load;

// Runs before all other initializers of the library: ticks of two kinds must not mix.
__attribute__((constructor(101))) void ChooseTicks() {
  ticks_are_counter = KernelTrustsCounter();
  at_load = ReadTickPoint();
}

}  // namespace

bool ticks_are_counter = false;

TickPoint ReadTickPoint() {
  if (!ticks_are_counter) {
    const int64_t now_ns = RealtimeNs();
    return {now_ns, now_ns};
  }
  TickPoint best;
  int64_t best_width = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < 3; ++i) {
    const int64_t before = NowTicks();
    const int64_t realtime = RealtimeNs();
    const int64_t width = NowTicks() - before;
    if (width >= best_width) continue;
    best_width = width;
    best = {before + width / 2, realtime, width};
  }
  return best;
}

TickClock::TickClock() : TickClock(at_load) { Advance(); }

// How far two moments may be off together, at the rate of all the time until now.
int64_t TickClock::ErrorNs(const TickPoint& before, const TickPoint& now) const {
  const double ns =
      NsPerTick(anchors_.front(), now) * static_cast<double>(before.width + now.width);
  return static_cast<int64_t>(ns / 2) + 1;
}

void TickClock::Advance(TickPoint now) {
  const TickPoint before = count_ == 0 ? anchors_.front() : Back(0).end;
  const int64_t back_ns = before.realtime_ns - now.realtime_ns;
  // Times on a line that falls would decrease: a range would end before it starts. A clock that was
  // set back is off by more.
  if (back_ns > 0 && now.ticks > before.ticks && back_ns <= ErrorNs(before, now)) {
    now.realtime_ns = before.realtime_ns;
    ++moments_moved_;
  }
  lines_[count_ % kLines] = {now, NsPerTick(before, now)};
  ++count_;
  if (now.ticks <= anchors_.back().ticks ||
      now.realtime_ns - anchors_.back().realtime_ns < kAnchorNs) {
    return;
  }
  anchors_.push_back(now);
  if (anchors_.size() < kAnchors) return;
  size_t kept = 0;
  for (size_t i = 0; i < anchors_.size(); i += 2) anchors_[kept++] = anchors_[i];
  anchors_.resize(kept);
}

int64_t TickClock::RealtimeOf(int64_t ticks) const {
  const size_t known = std::min(count_, kLines);
  size_t back = 0;
  while (back + 1 < known && ticks < Back(back + 1).end.ticks) ++back;
  // The ring does not hold the beginning of its oldest line any more.
  if (back + 1 == kLines) return FromAnchors(ticks);
  const Line& line = Back(back);
  const double ns = line.ns_per_tick * static_cast<double>(ticks - line.end.ticks);
  return line.end.realtime_ns + static_cast<int64_t>(ns);
}

// A line between the two anchors around `ticks`, or from the last anchor to the ring's oldest
// moment.
int64_t TickClock::FromAnchors(int64_t ticks) const {
  const TickPoint& oldest = Back(kLines - 1).end;
  const auto after = std::upper_bound(
      anchors_.begin() + 1, anchors_.end(), ticks,
      [](int64_t wanted, const TickPoint& anchor) { return wanted < anchor.ticks; });
  const TickPoint& from = *(after - 1);
  const TickPoint& to = after == anchors_.end() || after->ticks > oldest.ticks ? oldest : *after;
  const double ns = NsPerTick(from, to) * static_cast<double>(ticks - from.ticks);
  return from.realtime_ns + static_cast<int64_t>(ns);
}

}  // namespace prof::capture
