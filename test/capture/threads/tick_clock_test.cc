// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/threads/tick_clock.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "test/support/catch.h"

namespace prof::capture::tick_clock_test {
namespace {

constexpr int64_t kStartNs = 1'800'000'000'000'000'000;

// A counter of 2.5 ticks per nanosecond.
TickPoint At(int64_t ns) { return {7'000 + ns * 5 / 2, kStartNs + ns}; }

TEST_CASE("The processor's counter runs, never backwards, and as long as the clock") {
  const int64_t begin_ns = RealtimeNs();
  const int64_t begin = ReadCounter();
  int64_t last = begin;
  while (RealtimeNs() - begin_ns < 20'000'000) {
    const int64_t ticks = ReadCounter();
    REQUIRE(ticks >= last);
    last = ticks;
  }
  CHECK(last - begin > 20'000);         // 1 MHz is the least that aarch64 allows
  CHECK(last - begin < 2'000'000'000);  // a thread that waited for its processor 0.2 s at 10 GHz
}

TEST_CASE("Ticks become the time of the line between the moments around them") {
  TickClock clock(At(0));
  clock.Advance(At(1'000'000));
  clock.Advance({At(2'000'000).ticks, kStartNs + 2'000'400});  // the clock was slewed meanwhile
  CHECK(clock.RealtimeOf(At(500'000).ticks) == kStartNs + 500'000);
  CHECK(clock.RealtimeOf(At(1'500'000).ticks) == kStartNs + 1'500'200);
  CHECK(clock.RealtimeOf(At(2'000'000).ticks) == kStartNs + 2'000'400);
}

TEST_CASE("A range that was opened before the recording began has its time too") {
  TickClock clock(At(0));
  clock.Advance(At(3'600'000'000'000));
  CHECK(std::llabs(clock.RealtimeOf(At(1'800'000'000'000).ticks) - kStartNs - 1'800'000'000'000) <
        1'000);
}

TEST_CASE("A range that was open for an hour has its begin where it was") {
  constexpr int64_t kRoundNs = 20'000'000;
  TickClock clock(At(-5'000'000'000));
  const int64_t begin_ns = 300'000'000;
  for (int64_t round = 0; round < 180'000; ++round) {
    TickPoint now = At(round * kRoundNs);
    now.realtime_ns += round * 37 % 4001 - 2000;  // a moment is wrong by up to 2 us
    clock.Advance(now);
    if (round % 1000 != 500) continue;
    const int64_t error_ns = clock.RealtimeOf(At(begin_ns).ticks) - kStartNs - begin_ns;
    REQUIRE(std::llabs(error_ns) <= 5'000);
  }
  // And one from the middle.
  constexpr int64_t kMiddleNs = 1'800'000'000'000;
  CHECK(std::llabs(clock.RealtimeOf(At(kMiddleNs).ticks) - kStartNs - kMiddleNs) <= 5'000);
}

TEST_CASE("Times do not decrease while the lines below them change") {
  TickClock clock(At(0));
  int64_t last_ns = 0;
  for (int64_t i = 1; i <= 1'000; ++i) {
    const int64_t noise = i * 37 % 80 - 40;  // each moment is wrong by up to 40 ns
    clock.Advance({At(i * 200).ticks, At(i * 200).realtime_ns + noise});
    // The last ticks of the round before are asked for a round late, as from a thread that was
    // interrupted between reading the counter and writing its event.
    for (int64_t ns = (i - 1) * 200; ns <= i * 200; ns += 25) {
      const int64_t time_ns = clock.RealtimeOf(At(ns - 100).ticks);
      REQUIRE(time_ns >= last_ns);
      last_ns = time_ns;
    }
  }
}

TEST_CASE("Times do not decrease where readings of the clock were interrupted") {
  TickClock clock(At(0));
  clock.Advance(At(1'000'000));
  // 20 us between the readings around each, so each may be off by 10 us; they are 2 us apart.
  TickPoint late = At(1'002'000), early = At(1'004'000);
  late.realtime_ns += 9'000;
  early.realtime_ns -= 9'000;
  late.width = early.width = 20'000 * 5 / 2;
  clock.Advance(late);
  clock.Advance(early);
  clock.Advance(At(1'100'000));
  CHECK(clock.moments_moved() == 1);
  int64_t last_ns = 0;
  for (int64_t ns = 1'000'000; ns <= 1'100'000; ns += 100) {
    const int64_t time_ns = clock.RealtimeOf(At(ns).ticks);
    REQUIRE(time_ns >= last_ns);
    REQUIRE(std::llabs(time_ns - kStartNs - ns) <= 20'000);
    last_ns = time_ns;
  }
}

TEST_CASE("A clock that is set back by more than a reading may be off is followed") {
  TickClock clock(At(0));
  clock.Advance(At(1'000'000));
  TickPoint after = At(2'000'000);
  after.realtime_ns -= 500'000'000;
  after.width = 1'000;
  clock.Advance(after);
  CHECK(clock.moments_moved() == 0);
  CHECK(clock.RealtimeOf(after.ticks) == after.realtime_ns);
}

TEST_CASE("Where ticks are nanoseconds, they are the time, also when the clock is set back") {
  TickClock clock({kStartNs, kStartNs});
  clock.Advance({kStartNs + 1'000, kStartNs + 1'000});
  clock.Advance({kStartNs - 5'000, kStartNs - 5'000});
  for (const int64_t ns : {-6'000, -5'000, 0, 500, 1'000}) {
    CHECK(clock.RealtimeOf(kStartNs + ns) == kStartNs + ns);
  }
}

TEST_CASE("This machine's ticks follow its clock") {
  TickClock clock;
  // A reading that was interrupted is wrong by as much, and a busy machine interrupts most.
  int64_t smallest_error_ns = INT64_MAX;
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (smallest_error_ns >= 2'000 && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const int64_t ticks = NowTicks();
    const int64_t now_ns = RealtimeNs();
    clock.Advance();
    smallest_error_ns =
        std::min<int64_t>(smallest_error_ns, std::llabs(clock.RealtimeOf(ticks) - now_ns));
  }
  CHECK(smallest_error_ns < 2'000);
}

}  // namespace
}  // namespace prof::capture::tick_clock_test
