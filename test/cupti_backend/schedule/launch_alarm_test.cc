// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/launch_alarm.h"

#include <atomic>
#include <thread>
#include <vector>

#include "cupti_backend/schedule/need_schedule.h"
#include "test/support/catch.h"

namespace prof::cupti::test::launch_alarm_test {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr LaunchAlarm::Kernel kLacking = {true, 0, 0};

TEST_CASE("The alarm rings once for each time that it is armed") {
  LaunchAlarm alarm;
  alarm.SetLearns(true);
  alarm.OnLaunch(1, kLacking, 1);
  CHECK_FALSE(alarm.rung());
  alarm.Arm();
  CHECK_FALSE(alarm.rung());
  alarm.OnLaunch(1, kLacking, 2);
  alarm.OnLaunch(1, kLacking, 3);
  CHECK(alarm.rung());
  CHECK(alarm.expected_ns() == 0);
  alarm.Arm();  // it has rung already
  CHECK(alarm.rung());
  alarm.SwitchOff();
  alarm.OnLaunch(1, kLacking, 4);
  CHECK_FALSE(alarm.rung());
}

// Steps of 60 launches. That of the last key lacks samples.
struct Steps {
  static constexpr uint64_t kLaunches = 60, kLacks = 50;
  // Where the alarm rings in a step: the number of the launch; 0: it does not.
  uint64_t Step(LaunchAlarm* alarm) {
    uint64_t rang = 0;
    for (uint64_t key = 1; key <= kLaunches; ++key) {
      now_ns += distance_ns;
      if (key == kLacks) came_ns = now_ns;
      if (alarm->learns()) alarm->OnLaunch(key, {key == kLacks, delay_ns, time_ns}, now_ns);
      if (rang == 0 && alarm->rung()) rang = key;
    }
    return rang;
  }
  int64_t distance_ns, delay_ns = 0, time_ns = 0, now_ns = 1000 * kMs, came_ns = 0;
};

TEST_CASE("The alarm rings before the kernel that lacks samples comes again, and says when") {
  LaunchAlarm alarm;
  alarm.SetLearns(true);
  Steps steps{kMs / 10};
  steps.Step(&alarm);
  alarm.Arm();
  const uint64_t rang = steps.Step(&alarm);
  CHECK(rang == Steps::kLacks - LaunchAlarm::kShortestLeadNs / steps.distance_ns);
  CHECK(alarm.expected_ns() == steps.came_ns);
}

// A model of equal layers of 20 launches, and a kernel that follows them.
TEST_CASE("What follows equal layers is cued by the last of them") {
  constexpr uint64_t kOfLayer = 20, kHead = 100;
  const auto kLayers = GENERATE(uint64_t{3}, uint64_t{8}, uint64_t{13});
  LaunchAlarm alarm;
  alarm.SetLearns(true);
  int64_t now_ns = kMs, head_ns = 0;
  // In which layer the alarm rang, from 1 on; 0: it did not.
  const auto step = [&](uint64_t layers) {
    uint64_t rang = 0;
    for (uint64_t layer = 1; layer <= layers; ++layer) {
      for (uint64_t key = 1; key <= kOfLayer; ++key) {
        alarm.OnLaunch(key, {}, now_ns += kMs / 10);
        if (rang == 0 && alarm.rung()) rang = layer;
      }
    }
    head_ns = now_ns += kMs / 10;
    alarm.OnLaunch(kHead, kLacking, head_ns);
    return rang;
  };
  SECTION("from the second step on, when it is known how many there are") {
    for (int i = 0; i < 2; ++i) step(kLayers);
    for (int i = 0; i < 3; ++i) {
      alarm.Arm();
      CHECK(step(kLayers) == kLayers);
      CHECK(alarm.expected_ns() == head_ns);
      alarm.SwitchOff();
    }
  }
  SECTION("a step with fewer layers has no cue, and the one after it has") {
    for (int i = 0; i < 2; ++i) step(kLayers);
    alarm.Arm();
    CHECK(step(kLayers - 1) == 0);
    CHECK(step(kLayers) == kLayers);
  }
  SECTION("where the last launch of the kernel is not known, each layer is the cue") {
    step(kLayers);
    alarm.Arm();
    CHECK(step(kLayers) == 1);
  }
  SECTION("where that launch is too long ago, too") {
    constexpr uint64_t kMany = 120;  // layers
    for (int i = 0; i < 2; ++i) step(kMany);
    alarm.Arm();
    CHECK(step(kMany) == 1);
  }
  SECTION("what was launched before it learned again is not counted") {
    for (int i = 0; i < 2; ++i) step(kLayers);
    alarm.SetLearns(false);
    now_ns += 1000 * kMs;
    alarm.SetLearns(true);
    for (int i = 0; i < 2; ++i) step(kLayers);
    alarm.Arm();
    CHECK(step(kLayers) == kLayers);
  }
}

TEST_CASE("A kernel that the GPU starts later is expected later") {
  LaunchAlarm alarm;
  alarm.SetLearns(true);
  Steps steps{kMs / 10, kMs};
  steps.Step(&alarm);
  alarm.Arm();
  CHECK(steps.Step(&alarm) ==
        Steps::kLacks - (LaunchAlarm::kShortestLeadNs - kMs) / steps.distance_ns);
  CHECK(alarm.expected_ns() == steps.came_ns + kMs);
}

TEST_CASE("Kernels have the cue as often as their time on the GPU is of that of all") {
  constexpr int kRounds = 500;
  constexpr uint64_t kShort = 15, kLong = 45, kLaunches = 60;
  LaunchAlarm alarm;
  alarm.SetLearns(true);
  int64_t now_ns = kMs, short_ns = 0;
  const auto step = [&] {
    for (uint64_t key = 1; key <= kLaunches; ++key) {
      now_ns += kMs;
      if (key == kShort) short_ns = now_ns;
      const bool lacks = key == kShort || key == kLong;
      alarm.OnLaunch(key, {lacks, 0, key == kLong ? 90'000 : 10'000}, now_ns);
    }
  };
  int of_short = 0;
  for (int round = 0; round < kRounds; ++round) {
    alarm.SwitchOff();
    for (int i = 0; i < 3; ++i) step();
    alarm.Arm();
    step();
    REQUIRE(alarm.rung());
    if (alarm.expected_ns() == short_ns) ++of_short;
  }
  CHECK(of_short > 0.05 * kRounds);
  CHECK(of_short < 0.15 * kRounds);
}

TEST_CASE("Where launches are far apart, the one before is cue enough") {
  LaunchAlarm alarm;
  alarm.SetLearns(true);
  Steps steps{5 * kMs};
  steps.Step(&alarm);
  alarm.Arm();
  CHECK(steps.Step(&alarm) == Steps::kLacks - 1);
  CHECK(alarm.expected_ns() == steps.came_ns);
}

TEST_CASE("Where nothing came shortly before, the kernel's own launch rings") {
  LaunchAlarm alarm;
  alarm.SetLearns(true);
  Steps steps{2 * LaunchAlarm::kLongestLeadNs};
  steps.Step(&alarm);
  alarm.Arm();
  CHECK(steps.Step(&alarm) == Steps::kLacks);
  CHECK(alarm.expected_ns() == 0);
}

TEST_CASE("A cue for a kernel that has enough samples is forgotten") {
  LaunchAlarm alarm;
  alarm.SetLearns(true);
  Steps steps{kMs / 10};
  steps.Step(&alarm);
  alarm.ForgetCue();
  alarm.Arm();
  CHECK(steps.Step(&alarm) == Steps::kLacks);
}

TEST_CASE("After a cue that does not come again the kernel's own launch rings, until one does") {
  LaunchAlarm alarm;
  alarm.SetLearns(true);
  Steps steps{kMs / 10};
  steps.Step(&alarm);
  alarm.Arm();
  for (uint64_t key = 1000; key < 1100; ++key) alarm.OnLaunch(key, {}, steps.now_ns += kMs);
  CHECK_FALSE(alarm.rung());
  alarm.SwitchOff();  // nobody waits any longer
  steps.Step(&alarm);
  alarm.Arm();
  const uint64_t by_cue = steps.Step(&alarm);
  CHECK(by_cue < Steps::kLacks);
  alarm.SwitchOff();
  alarm.Arm();
  alarm.SwitchOff();                                 // in vain again
  alarm.OnLaunch(1, kLacking, steps.now_ns += kMs);  // brings a cue
  alarm.Arm();
  alarm.OnLaunch(2, kLacking, steps.now_ns += kMs);
  CHECK(alarm.rung());
  CHECK(alarm.expected_ns() == 0);
}

TEST_CASE("Threads launch while the alarm is armed, switched off and asked") {
  constexpr int kRounds = 2'000, kMostRounds = 1'000'000;
  LaunchAlarm alarm;
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (uint64_t key = 1; key <= 2; ++key) {
    threads.emplace_back([&alarm, &done, key] {
      for (int64_t now_ns = 1; !done; now_ns += kMs) {
        if (alarm.learns()) alarm.OnLaunch(key, {key == 1, 0, 1000}, now_ns);
      }
    });
  }
  int rang = 0;
  for (int i = 0; i < kRounds || (rang == 0 && i < kMostRounds); ++i) {
    alarm.SetLearns(i % 16 != 0);
    alarm.Arm();
    if (i % 4 == 0) alarm.ForgetCue();
    std::this_thread::yield();
    if (alarm.rung()) ++rang;
    alarm.SwitchOff();
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  CHECK(rang > 0);
}

TEST_CASE("An alarm that does not learn does not ring") {
  LaunchAlarm alarm;
  Steps steps{kMs / 10};
  steps.Step(&alarm);
  alarm.Arm();
  CHECK(steps.Step(&alarm) == 0);
}

TEST_CASE("Launches ring of which samples are lacking for most of the GPU time") {
  NeedSchedule schedule(5, 0, 1);
  SampleSchedule::Entry seen, unseen, less, rare;
  int64_t now_ns = 1000 * kMs;
  uint64_t shape = 0;
  for (SampleSchedule::Entry* entry : {&seen, &unseen, &less, &rare}) {
    entry->exclusion = Exclusion::kNone;
    schedule.Add(*entry, 0, ++shape);
    entry->timed_launches = 1;
    entry->timed_ns = 20'000;
  }
  schedule.SetNeeds(1, format::kNeedsNothing);
  schedule.alarm().SetLearns(true);
  const auto rings = [&](SampleSchedule::Entry& entry) {
    schedule.alarm().SwitchOff();
    schedule.alarm().Arm();
    schedule.Considers(entry, ++now_ns);
    return schedule.alarm().rung();
  };
  for (int i = 0; i < 2000; ++i) {
    schedule.Considers(seen, ++now_ns);
    if (i % 100 == 0) schedule.Considers(unseen, ++now_ns);
    if (i % 300 == 0) schedule.Considers(less, ++now_ns);
  }
  schedule.Considers(rare, ++now_ns);
  CHECK_FALSE(rings(unseen));  // nobody has looked yet
  schedule.Refresh(true, now_ns += 20 * kMs);
  CHECK(schedule.alarm().may_ring());
  CHECK(rings(unseen));
  CHECK_FALSE(rings(seen));
  CHECK_FALSE(rings(less));
  schedule.SetNeeds(2, format::kNeedsNothing);
  schedule.Refresh(true, now_ns += 20 * kMs);
  CHECK_FALSE(rings(unseen));
  CHECK(rings(less));
  schedule.SetNeeds(3, format::kNeedsNothing);
  schedule.Refresh(true, now_ns += 20 * kMs);
  CHECK_FALSE(rings(rare));
  CHECK_FALSE(schedule.alarm().may_ring());
}

}  // namespace
}  // namespace prof::cupti::test::launch_alarm_test
