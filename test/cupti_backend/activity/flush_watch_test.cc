// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/activity/flush_watch.h"

#include "test/support/catch.h"

namespace prof::cupti::test::flush_watch_test {
namespace {

constexpr int64_t kRoundNs = 200'000'000;

// Rounds of a collector.
struct Rounds {
  // How many of `count` rounds flush.
  int Flushed(int count) {
    int flushed = 0;
    for (int i = 0; i < count; ++i) {
      flushed += watch.Wants(signs, holds, now_ns) ? 1 : 0;
      now_ns += kRoundNs;
    }
    return flushed;
  }

  FlushWatch watch;
  uint64_t signs = 0;
  bool holds = false;
  int64_t now_ns = 1'000'000'000'000;
};

TEST_CASE("A program without work is flushed for a second, and then each five seconds") {
  Rounds rounds;
  CHECK(rounds.Flushed(5) == 5);
  CHECK(rounds.Flushed(5 * 20) == 4);
}

TEST_CASE("What CUPTI completes late comes with the next flush") {
  Rounds rounds;
  CHECK(rounds.Flushed(50) == 6);
  ++rounds.signs;  // a launch
  rounds.holds = true;
  CHECK(rounds.Flushed(100) == 100);  // of a kernel of 20 s
  rounds.holds = false;
  ++rounds.signs;  // its buffer came
  CHECK(rounds.Flushed(5) == 5);
  CHECK(rounds.Flushed(20) == 0);
}

TEST_CASE("A call that asks for no buffer is flushed, too") {
  Rounds rounds;
  CHECK(rounds.Flushed(20) == 5);
  ++rounds.signs;
  CHECK(rounds.Flushed(1) == 1);
  CHECK(rounds.Flushed(20) == 4);
}

}  // namespace
}  // namespace prof::cupti::test::flush_watch_test
