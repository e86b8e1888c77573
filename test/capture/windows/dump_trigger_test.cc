// SPDX-License-Identifier: Apache-2.0
#include "lib/capture/windows/dump_trigger.h"

#include "test/support/catch.h"

namespace prof::capture::dump_trigger_test {
namespace {

constexpr int64_t kMs = 1'000'000, kSecond = 1'000'000'000;

SessionOptions Keeping() {
  SessionOptions options;
  options.keep_last_seconds = 30;
  return options;
}

TEST_CASE("A step is slow beside the median of the steps before it, once there are ten") {
  SessionOptions options = Keeping();
  options.dump_slow_step = 3;
  DumpTrigger trigger(options);
  for (int i = 0; i < 10; ++i) CHECK(trigger.OnStep("s", (i == 4 ? 90 : 10) * kMs).empty());
  CHECK(trigger.OnStep("s", 30 * kMs).empty());
  const std::string why = trigger.OnStep("train/step", 31 * kMs);
  CHECK(why ==
        "step 'train/step' took 31 ms, more than 3 times the median of 11 steps before it, 10 ms");
}

TEST_CASE("The median follows a program that has become slower") {
  SessionOptions options = Keeping();
  options.dump_slow_step = 2;
  DumpTrigger trigger(options);
  for (int i = 0; i < 100; ++i) (void)trigger.OnStep("", 10 * kMs);
  int slow = 0;
  for (int i = 0; i < 100; ++i) slow += trigger.OnStep("", 25 * kMs).empty() ? 0 : 1;
  CHECK(slow == 50);  // until half of the last hundred are as slow
}

TEST_CASE("A step is long by itself") {
  SessionOptions options = Keeping();
  options.dump_long_step_ms = 50;
  DumpTrigger trigger(options);
  CHECK(trigger.OnStep("s", 50 * kMs).empty());
  CHECK(trigger.OnStep("", 51 * kMs) == "a step took 51 ms, longer than 50 ms");
}

TEST_CASE("An idle GPU asks only where it was to be watched") {
  SessionOptions options = Keeping();
  CHECK(DumpTrigger(options).OnIdle(100).empty());
  options.dump_idle_percent = 80;
  CHECK(DumpTrigger(options).OnIdle(80).empty());
  CHECK_FALSE(DumpTrigger(options).OnIdle(81).empty());
}

TEST_CASE("Dumps are as far apart as what they keep, and not more than twenty") {
  DumpTrigger trigger(Keeping());
  CHECK(trigger.Take(0));
  CHECK_FALSE(trigger.Take(30 * kSecond - 1));
  for (int i = 1; i < DumpTrigger::kMostDumps; ++i) CHECK(trigger.Take(i * 30 * kSecond));
  CHECK_FALSE(trigger.Take(1000 * kSecond));
  CHECK(trigger.dumps() == 20);
  CHECK(trigger.held_back() == 2);
}

}  // namespace
}  // namespace prof::capture::dump_trigger_test
