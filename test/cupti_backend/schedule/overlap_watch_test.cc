// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/overlap_watch.h"

#include "test/support/catch.h"

namespace prof::cupti::test::overlap_watch_test {
namespace {

using Alone = SampleSchedule::Alone;

constexpr int64_t kSecond = 1'000'000'000;
constexpr uint32_t kOwn = 7, kOther = 8;  // streams

struct Watched {
  OverlapWatch watch;
  SampleSchedule::Entry entry;

  void Request(uint32_t correlation) {
    REQUIRE(watch.Request(1, correlation, &entry));
    entry.alone.store(Alone::kRequested);
  }
  // Long enough after everything was noted.
  std::vector<SampleSchedule::Entry*> Settle(int64_t now_ns) {
    watch.Resolve(now_ns);
    return watch.Resolve(now_ns + kSecond);
  }
};

TEST_CASE("A kernel that ends before later work starts ends by itself") {
  Watched w;
  w.Request(10);
  w.watch.Add(0, 1, kOther, 9, 50, 150);  // launched earlier: that it runs beside does not matter
  w.watch.Add(0, 1, kOwn, 10, 100, 200);
  w.watch.Add(0, 1, kOther, 11, 200, 300);
  CHECK(w.entry.alone.load() == Alone::kRequested);
  w.Settle(kSecond);
  CHECK(w.entry.alone.load() == Alone::kYes);
}

TEST_CASE(
    "One beside which another device began later work may wait for that, but is not given up") {
  Watched w;
  for (uint32_t run = 1; run <= 2 * OverlapWatch::kMaxOverlapped; ++run) {
    w.Request(10 * run);
    w.watch.Add(0, 1, kOwn, 10 * run, 100, 200);
    w.watch.Add(1, 2, kOther, 10 * run + 1, 150, 160);
    CHECK(w.Settle(10 * run * kSecond).empty());
    CHECK(w.entry.alone.load() == Alone::kUnknown);
  }
  w.Request(1000);
  w.watch.Add(0, 1, kOwn, 1000, 1100, 1200);
  w.watch.Add(1, 2, kOther, 1001, 1200, 1300);
  w.Settle(1000 * kSecond);
  CHECK(w.entry.alone.load() == Alone::kYes);
}

TEST_CASE("One beside which later work ran is asked about again, whichever record comes first") {
  for (const bool later_first : {false, true}) {
    Watched w;
    w.Request(10);
    if (later_first) w.watch.Add(0, 1, kOther, 11, 150, 160);
    w.watch.Add(0, 1, kOwn, 10, 100, 200);
    if (!later_first) w.watch.Add(0, 1, kOther, 11, 150, 160);
    w.Settle(kSecond);
    CHECK(w.entry.alone.load() == Alone::kUnknown);
    CHECK(w.entry.overlapped.load() == 1);
  }
}

TEST_CASE("One whose follower on its stream begins early ends by itself: a dependent launch") {
  Watched w;
  w.Request(10);
  w.watch.Add(0, 1, kOwn, 10, 100, 200);
  w.watch.Add(0, 1, kOwn, 11, 150, 260);
  SECTION("also beside a third") {
    w.watch.Add(0, 1, kOwn, 12, 190, 300);
    w.Settle(kSecond);
    CHECK(w.entry.alone.load() == Alone::kYes);
  }
  SECTION("not with work of another stream") {
    w.watch.Add(0, 1, kOther, 12, 150, 160);
    w.Settle(kSecond);
    CHECK(w.entry.alone.load() == Alone::kUnknown);
  }
  SECTION("not with the stream of that number in another context") {
    w.watch.Add(0, 2, kOwn, 12, 150, 160);
    w.Settle(kSecond);
    CHECK(w.entry.alone.load() == Alone::kUnknown);
  }
  SECTION("and nothing else") {
    w.Settle(kSecond);
    CHECK(w.entry.alone.load() == Alone::kYes);
  }
}

TEST_CASE("An answer waits for the records of work beside it") {
  Watched w;
  w.Request(10);
  w.watch.Add(0, 1, kOwn, 10, 100, 200);
  w.watch.Resolve(kSecond);
  w.watch.Resolve(kSecond + 100'000'000);
  CHECK(w.entry.alone.load() == Alone::kRequested);
  w.watch.Add(0, 1, kOther, 11, 150, 160);
  w.watch.Resolve(3 * kSecond);
  CHECK(w.entry.alone.load() == Alone::kUnknown);
}

TEST_CASE("A kernel that never ran without later work beside it is given up") {
  Watched w;
  for (uint32_t run = 1; run <= OverlapWatch::kMaxOverlapped; ++run) {
    const uint32_t correlation = 10 * run;
    w.Request(correlation);
    w.watch.Add(0, 1, kOwn, correlation, 100, 200);
    w.watch.Add(0, 1, kOther, correlation + 1, 150, 160);
    const auto given_up = w.Settle(10 * run * kSecond);
    if (run < OverlapWatch::kMaxOverlapped) {
      CHECK(given_up.empty());
    } else {
      CHECK(given_up == std::vector<SampleSchedule::Entry*>{&w.entry});
    }
  }
}

TEST_CASE("A record that never comes gives up its place") {
  Watched w;
  w.Request(10);
  w.watch.Resolve(kSecond);
  w.watch.Resolve(5 * kSecond);
  CHECK(w.entry.alone.load() == Alone::kRequested);
  w.watch.Resolve(20 * kSecond);
  CHECK(w.entry.alone.load() == Alone::kUnknown);
}

TEST_CASE("More questions than there is room for are refused") {
  OverlapWatch watch;
  SampleSchedule::Entry entry;
  uint32_t asked = 0;
  while (asked < 10'000 && watch.Request(1, asked + 1, &entry)) ++asked;
  CHECK(asked > 0);
  CHECK(asked < 10'000);
}

}  // namespace
}  // namespace prof::cupti::test::overlap_watch_test
