// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/need_schedule.h"

#include <algorithm>
#include <list>
#include <memory>
#include <vector>

#include "test/support/catch.h"

namespace prof::cupti::test::need_schedule_test {
namespace {

using Action = SampleSchedule::Action;
using Entry = SampleSchedule::Entry;
constexpr int64_t kMs = 1'000'000;

// Groups 0 and 1 answer the stalls, 2 the memory, 3 what single kernels alone give, 4 the use.
struct Program {
  Program() {
    schedule->SetGroups(0, {{format::kNeedsStalls, 4 * kMs, kMs, false},
                            {format::kNeedsStalls, 4 * kMs, kMs, false},
                            {format::kNeedsMemory, 25 * kMs, kMs / 20, false},
                            {format::kNeedsMemory, 4 * kMs, kMs, true},
                            {format::kNeedsUse, 25 * kMs, kMs, false}});
  }
  // A signature whose launches take so long.
  Entry& Add(uint64_t shape, int64_t duration_ns, bool requested = false, bool region = false) {
    Entry& entry = entries.emplace_back();
    entry.requested = requested;
    entry.region = region;
    schedule->Add(entry, 0, shape);
    entry.exclusion = Exclusion::kNone;
    if (duration_ns > 0) {
      entry.timed_launches = 1;
      entry.timed_ns = static_cast<uint64_t>(duration_ns);
    }
    return entry;
  }
  bool Launch(Entry& entry) { return schedule->Considers(entry, now_ns); }
  void Launch(Entry& entry, int times) {
    for (int i = 0; i < times; ++i) schedule->Considers(entry, now_ns);
  }
  void Refresh(int64_t later_ns = kMs) {
    now_ns += later_ns;
    schedule->Refresh(plenty, now_ns);
  }
  // The group that it changes to; -1: none.
  int Plan() {
    const SampleSchedule::Decision decision = schedule->Plan(0, active, now_ns);
    return decision.action == Action::kRotate ? static_cast<int>(decision.group) : -1;
  }
  void Visit(int group) {
    active = group;
    schedule->BeginVisit(0, now_ns);
  }
  bool Sample(Entry& entry) {
    Launch(entry, 1);
    if (schedule->Next(entry, 0, active).action != Action::kSample) return false;
    const auto next = schedule->CountSample(entry, 0, static_cast<uint32_t>(active), now_ns);
    if (next.action == Action::kRotate) Visit(static_cast<int>(next.group));
    return true;
  }

  std::unique_ptr<NeedSchedule> schedule = std::make_unique<NeedSchedule>(5, 0, 1);
  std::list<Entry> entries;
  bool plenty = false;
  int64_t now_ns = 1000 * kMs;
  int active = -1;
};

TEST_CASE("A signature that comes back before its use is known is noticed, a few times at most") {
  Program program;
  Entry& entry = program.Add(1, kMs);
  program.Launch(entry, 1);
  program.Refresh();
  CHECK(program.schedule->returns() == 0);  // it is new, which is noticed elsewhere
  program.Launch(entry, 1);
  program.Refresh(50 * kMs);
  CHECK(program.schedule->returns() == 0);  // it runs on
  for (uint64_t time = 1; time <= NeedSchedule::kMostReturns + 3; ++time) {
    program.Refresh(300 * kMs);
    program.Launch(entry, 1);
    program.Refresh(20 * kMs);
    CHECK(program.schedule->returns() == std::min<uint64_t>(time, NeedSchedule::kMostReturns));
  }
}

TEST_CASE("What runs on while counters are started has not been away") {
  Program program;
  Entry& entry = program.Add(1, kMs);
  program.Launch(entry, 1);
  program.Refresh();
  program.Launch(entry, 1);
  program.Refresh(300 * kMs);  // nobody looked meanwhile
  CHECK(program.schedule->returns() == 0);
}

TEST_CASE("What is known, too short, or no single kernel does not come back") {
  Program program;
  Entry& known = program.Add(1, kMs);
  program.schedule->SetNeeds(1, format::kNeedsNothing);
  Entry& too_short = program.Add(2, 2'000);
  Entry& graph = program.Add(3, kMs, false, true);
  for (int time = 0; time < 3; ++time) {
    for (Entry* entry : {&known, &too_short, &graph}) program.Launch(*entry, 1);
    program.Refresh(300 * kMs);
  }
  CHECK(program.schedule->returns() == 0);
  CHECK(program.schedule->unseen_share() == 0);
}

TEST_CASE("The GPU time of kernels whose use is not known is unseen, for a while") {
  Program program;
  Entry& known = program.Add(1, kMs);
  program.schedule->SetNeeds(1, format::kNeedsStalls);
  Entry& unseen = program.Add(2, kMs);
  program.Launch(known, 30);
  program.Launch(unseen, 10);
  program.Refresh();
  CHECK(program.schedule->unseen_share() == Approx(0.25));
  program.Launch(unseen, static_cast<int>(NeedSchedule::kVainNs / kMs));
  program.Refresh();
  CHECK(program.schedule->unseen_share() == 0);  // triage cannot see it
}

TEST_CASE("A kernel that is loaded again is nothing new, in another context it is") {
  Program program;
  program.Add(1, kMs);
  program.Add(1, 0);
  CHECK(program.schedule->news() == 1);
  program.Add(2, kMs);
  CHECK(program.schedule->news() == 2);
  program.schedule->Add(program.entries.emplace_back(), 1, 1);
  CHECK(program.schedule->news() == 3);
}

TEST_CASE("Launches ring of a kernel that lacks samples, also where it was loaded just now") {
  Program program;
  LaunchAlarm& alarm = program.schedule->alarm();
  program.Launch(program.Add(1, kMs), 10);
  program.Launch(program.Add(2, kMs / 20), 10);
  // Each signature has little of the time, all of the kernel have most.
  for (int time = 0; time < 20; ++time) program.Launch(program.Add(3, kMs), 1);
  program.schedule->SetNeeds(1, format::kNeedsNothing);
  program.Refresh();
  CHECK(alarm.may_ring());
  alarm.SetLearns(true);
  const auto rings = [&](uint64_t shape) {
    alarm.Arm();
    program.Launch(program.Add(shape, 0), 1);
    const bool rung = alarm.rung();
    alarm.SwitchOff();
    return rung;
  };
  CHECK(rings(3));
  CHECK_FALSE(rings(2));  // it would bring little
  CHECK_FALSE(rings(1));
  program.schedule->SetNeeds(3, format::kNeedsNothing);
  program.Refresh();
  CHECK_FALSE(rings(3));
}

TEST_CASE("A kernel that no burst has met rings before one with more time that many have met") {
  Program program;
  LaunchAlarm& alarm = program.schedule->alarm();
  Entry& met = program.Add(1, kMs);
  Entry& unmet = program.Add(2, kMs);
  program.Launch(met, 10);
  program.Launch(unmet, 3);
  alarm.SetLearns(true);
  const auto rings = [&](Entry& entry) {
    alarm.SwitchOff();
    alarm.Arm();
    program.Launch(entry, 1);
    return alarm.rung();
  };
  program.Refresh();
  CHECK(rings(met));
  CHECK_FALSE(rings(unmet));
  for (int burst = 0; burst < 12; ++burst) program.schedule->CountBurst(1);
  program.Refresh();
  CHECK_FALSE(rings(met));
  CHECK(rings(unmet));
  program.Refresh(NeedSchedule::kLongestRunningNs / 2);
  program.Launch(met, 1);
  program.Refresh(NeedSchedule::kLongestRunningNs / 2 + kMs);  // the other one has ended
  CHECK(rings(met));
  program.Refresh(3 * NeedSchedule::kLongestRunningNs);
  CHECK_FALSE(alarm.may_ring());
}

TEST_CASE("A kernel of steps of 1.5 s is waited for, for two of them") {
  Program program;
  Entry& entry = program.Add(1, kMs);
  for (int step = 0; step < 4; ++step) {
    program.Launch(entry, 1);
    program.Refresh(1500 * kMs);
    CHECK(program.schedule->alarm().may_ring() == (step > 0));  // then the interval is known
  }
  program.Refresh(1600 * kMs);
  CHECK_FALSE(program.schedule->alarm().may_ring());
}

TEST_CASE("A kernel that many bursts have met rings where nothing else lacks samples") {
  Program program;
  Entry& known = program.Add(1, kMs);
  Entry& met = program.Add(2, kMs);
  program.Launch(known, 99);
  program.Launch(met, 1);
  program.schedule->SetNeeds(1, format::kNeedsNothing);
  for (int burst = 0; burst < 30; ++burst) program.schedule->CountBurst(2);
  program.Refresh();
  CHECK(program.schedule->alarm().may_ring());
}

TEST_CASE("Bursts that meet what was never launched take no place in the table") {
  Program program;
  constexpr uint64_t kFirst = 1'000'000;
  for (uint64_t shape = 0; shape < 2 * NeedSchedule::kCapacity; ++shape) {
    program.schedule->CountBurst(kFirst + shape);
  }
  program.Launch(program.Add(1, kMs), 1);
  program.Refresh();
  CHECK(program.schedule->alarm().may_ring());
}

TEST_CASE("Nothing is sampled before it is known what is open") {
  Program program;
  Entry& entry = program.Add(1, kMs);
  program.Launch(entry, 2000);
  program.Refresh();
  CHECK_FALSE(program.Launch(entry));
  CHECK_FALSE(program.schedule->WantsHardware());
  CHECK_FALSE(program.schedule->Complete());

  program.schedule->SetNeeds(1, format::kNeedsStalls);
  program.Refresh();
  CHECK(program.Launch(entry));
  CHECK(program.schedule->WantsHardware());
  CHECK(program.Plan() == 0);
}

TEST_CASE("Only groups that answer what is open are read, each of them twice") {
  Program program;
  Entry& entry = program.Add(1, kMs);
  program.schedule->SetNeeds(1, format::kNeedsStalls);
  program.Launch(entry, 2000);
  program.Refresh();
  program.Visit(0);
  CHECK(program.Sample(entry));
  CHECK(program.Sample(entry));
  CHECK(program.active == 1);  // at once
  CHECK(program.Sample(entry));
  CHECK(program.Sample(entry));
  CHECK_FALSE(program.Sample(entry));
  program.Refresh();
  CHECK(program.schedule->Complete());
  CHECK(program.schedule->decided_share() == 1);
  CHECK_FALSE(program.Launch(entry));
  CHECK_FALSE(program.schedule->WantsHardware());
}

TEST_CASE("A third sample follows after a rest where there is plenty of budget") {
  Program program;
  Entry& entry = program.Add(1, kMs);
  program.schedule->SetNeeds(1, format::kNeedsStalls);
  program.Launch(entry, 2000);
  program.Refresh();
  program.Visit(0);
  for (int i = 0; i < 4; ++i) REQUIRE(program.Sample(entry));
  program.Launch(entry, 1);
  program.Refresh(1100 * kMs);
  CHECK_FALSE(program.Launch(entry));
  program.plenty = true;
  program.Refresh();
  CHECK(program.Launch(entry));
}

TEST_CASE("A sample of one launch answers for all of its shape that take as long") {
  Program program;
  Entry &here = program.Add(1, kMs), &there = program.Add(1, kMs + kMs / 20),
        &longer = program.Add(1, 3 * kMs);
  program.schedule->SetNeeds(1, format::kNeedsStalls);
  for (Entry* entry : {&here, &there, &longer}) program.Launch(*entry, 2000);
  program.Refresh();
  program.Visit(0);
  CHECK(program.Sample(here));
  CHECK(program.Sample(there));
  CHECK_FALSE(program.Sample(here));
  CHECK_FALSE(program.Sample(there));
  CHECK(program.Sample(longer));
}

TEST_CASE("What is open is a share of the GPU time of late") {
  Program program;
  Entry &open = program.Add(1, 3 * kMs), &decided = program.Add(2, kMs);
  program.schedule->SetNeeds(1, format::kNeedsStalls);
  program.schedule->SetNeeds(2, format::kNeedsNothing);
  program.Launch(open, 100);
  program.Launch(decided, 100);
  program.Refresh();
  CHECK(program.schedule->open_share() == Approx(0.75));
  program.now_ns += 1000 * kMs;
  program.Launch(decided, 100);
  program.Refresh();
  CHECK(program.schedule->open_share() == 0);
}

TEST_CASE("A group that nothing wants that runs now is left at once") {
  Program program;
  Entry &first = program.Add(1, kMs), &second = program.Add(2, kMs);
  program.schedule->SetNeeds(1, format::kNeedsStalls);
  program.schedule->SetNeeds(2, format::kNeedsMemory);
  program.Launch(first, 2000);
  program.Refresh();
  program.Visit(program.Plan());
  CHECK(program.active == 0);
  program.Refresh(NeedSchedule::kRunningNs);
  program.Launch(second, 2000);
  program.Refresh(kMs);
  CHECK(program.Plan() == 3);  // not the one with DRAM and L2 first
}

TEST_CASE("A group that nothing takes is left for another after a while") {
  Program program;
  Entry& entry = program.Add(1, kMs);
  program.schedule->SetNeeds(1, format::kNeedsStalls);
  program.Launch(entry, 2000);
  program.Refresh();
  program.Visit(0);
  CHECK(program.Plan() == -1);
  program.now_ns += NeedSchedule::kPatienceNs;
  program.Launch(entry, 1);
  program.Refresh();
  CHECK(program.Plan() == 1);
  program.Visit(1);
  CHECK(program.Plan() == -1);  // not again at once: its launches cannot be sampled now
}

TEST_CASE("What decides little comes when nothing else is left") {
  Program program;
  Entry &large = program.Add(1, 100 * kMs), &small = program.Add(2, kMs / 10);
  program.schedule->SetNeeds(1, format::kNeedsStalls);
  program.schedule->SetNeeds(2, format::kNeedsStalls);
  program.Launch(large, 100);
  program.Launch(small, 100);
  program.Refresh();
  program.Visit(0);
  CHECK_FALSE(program.Sample(small));
  for (int i = 0; i < 4; ++i) REQUIRE(program.Sample(large));
  program.Refresh();
  CHECK(program.Plan() == -1);  // it wants the group that is counted
  CHECK(program.Sample(small));
}

TEST_CASE("Where many lack samples each gets its first before others get a second") {
  Program program;
  std::vector<Entry*> entries;
  for (uint64_t shape = 1; shape <= NeedSchedule::kCrowd + 1; ++shape) {
    entries.push_back(&program.Add(shape, kMs));
    program.schedule->SetNeeds(shape, format::kNeedsStalls);
    program.Launch(*entries.back(), 200);
  }
  program.Refresh();
  program.Refresh();
  program.Visit(0);
  CHECK(program.Sample(*entries[0]));
  CHECK_FALSE(program.Sample(*entries[0]));
  CHECK(program.Sample(*entries[1]));
}

TEST_CASE("Launches that are over sooner than they are launched need nothing") {
  Program program;
  Entry& entry = program.Add(1, 3000);
  program.Launch(entry, 200);
  program.Refresh();
  CHECK(program.schedule->Complete());
}

TEST_CASE("Without triage everything is open, the use of the units first") {
  Program program;
  Entry& entry = program.Add(1, kMs);
  program.schedule->SetTriage(false);
  program.Launch(entry, 2000);
  program.Refresh();
  CHECK(program.Plan() == 4);
}

TEST_CASE("A requested range gets all that a range can have, and a graph nothing") {
  Program program;
  Entry &range = program.Add(1, 0, true, true), &graph = program.Add(2, kMs, false, true);
  program.Launch(range, 1);
  program.Launch(graph, 2000);
  program.Refresh();
  CHECK_FALSE(program.Launch(graph));
  CHECK(program.Launch(range));
  CHECK(program.schedule->WantsHardware());
  program.Visit(3);  // for single kernels
  CHECK_FALSE(program.Sample(range));
  program.Visit(2);
  CHECK(program.Sample(range));
}

TEST_CASE("The hardware is not worth getting for what took no longer than that itself") {
  Program program;
  Entry& entry = program.Add(1, kMs);
  program.schedule->SetNeeds(1, format::kNeedsStalls);
  program.Launch(entry, 500);
  program.Refresh();
  CHECK_FALSE(program.schedule->WantsHardware());
  program.Launch(entry, 200);
  program.Refresh();
  CHECK(program.schedule->WantsHardware());
  program.Refresh(2 * NeedSchedule::kRunningNs);  // it does not run any more
  CHECK_FALSE(program.schedule->WantsHardware());
}

TEST_CASE("A turn costs its begin and the answers that are wanted, up to a bound") {
  Program program;
  Entry& stalls = program.Add(1, kMs);
  program.schedule->SetNeeds(1, format::kNeedsStalls);
  program.Launch(stalls, 2000);
  program.Refresh();
  // Two groups of stalls, a change and a sample each.
  CHECK(program.schedule->TurnCostNs() == NeedSchedule::kTurnCostNs + 2 * (4 * kMs + kMs));
  Entry& memory = program.Add(2, kMs);
  program.schedule->SetNeeds(2, format::kNeedsMemory);
  program.Launch(memory, 2000);
  program.Refresh();
  CHECK(program.schedule->TurnCostNs() ==
        NeedSchedule::kTurnCostNs + 10 * kMs + 25 * kMs + kMs / 20 + 5 * kMs);
  for (uint64_t shape = 3; shape < 300; ++shape) {
    Entry& entry = program.Add(shape, kMs);
    program.schedule->SetNeeds(shape, format::kNeedsStalls | format::kNeedsMemory);
    program.Launch(entry, 2000);
  }
  program.Refresh();
  CHECK(program.schedule->TurnCostNs() <= NeedSchedule::kTurnCostNs + NeedSchedule::kMostAnswersNs);
}

TEST_CASE("What the user asked for is worth a turn before its answers can be paid for") {
  Program program;
  Entry& range = program.Add(1, 0, true, true);
  program.Launch(range, 1);
  program.Refresh();
  CHECK(program.schedule->WantsHardware());
  CHECK(program.schedule->TurnCostNs() == NeedSchedule::kTurnCostNs);
}

TEST_CASE("What may never be sampled is not waited for") {
  Program program;
  Entry &able = program.Add(1, kMs), &excluded = program.Add(2, kMs);
  program.schedule->SetNeeds(1, format::kNeedsNothing);
  program.schedule->SetNeeds(2, format::kNeedsStalls);
  program.Launch(able, 100);
  program.Launch(excluded, 100);
  program.Refresh();
  CHECK_FALSE(program.schedule->Complete());
  excluded.exclusion = Exclusion::kHeldUp;
  program.Refresh();
  CHECK(program.schedule->Complete());
  CHECK(program.schedule->decided_share() == 0.5);
}

}  // namespace
}  // namespace prof::cupti::test::need_schedule_test
