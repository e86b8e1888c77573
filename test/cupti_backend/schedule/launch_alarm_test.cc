// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/launch_alarm.h"

#include "cupti_backend/schedule/need_schedule.h"
#include "test/support/catch.h"

namespace prof::cupti::test {
namespace {

constexpr int64_t kMs = 1'000'000;

TEST_CASE("The alarm rings once for each time that it is armed") {
  LaunchAlarm alarm;
  alarm.OnLackingLaunch();
  CHECK_FALSE(alarm.rung());
  alarm.Arm();
  CHECK_FALSE(alarm.rung());
  alarm.OnLackingLaunch();
  alarm.OnLackingLaunch();
  CHECK(alarm.rung());
  alarm.Arm();  // it has rung already
  CHECK(alarm.rung());
  alarm.SwitchOff();
  alarm.OnLackingLaunch();
  CHECK_FALSE(alarm.rung());
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
}  // namespace prof::cupti::test
