// SPDX-License-Identifier: Apache-2.0
//
// Where the GPU is idle, or waits for others, bursts wait for the kernels that lack samples.
#include <algorithm>
#include <cstdint>

#include "cupti_backend/schedule/triage_schedule.h"
#include "test/cupti_backend/schedule/triage_simulation.h"
#include "test/support/catch.h"

namespace prof::cupti::test::triage_waiting_test {
namespace {

using Action = TriageSchedule::Action;
using Simulation = TriageSimulation;

constexpr int64_t kMs = 1'000'000, kS = 1'000'000'000;

TEST_CASE("Where the GPU is idle a burst waits for a launch that lacks samples, but not for long") {
  Simulation simulation;
  simulation.signals.idle_share = 0.8;
  simulation.Run(5 * kS, [](int64_t) { return Simulation::Now{true, 1, 0.2, 0}; });
  const int64_t last_ns = simulation.bursts.back();
  simulation.signals.alarm = false;
  TriageSchedule::Step step;
  do {  // until a burst is due that does not come at a random time
    ++simulation.signals.launches;
    step =
        simulation.schedule.Next(simulation.now_ns, true, simulation.signals, &simulation.budget);
    if (step.action != Action::kListen) simulation.Take(step);
  } while (step.action != Action::kListen);
  const int64_t now_ns = simulation.now_ns;
  CHECK(step.at_ns > now_ns);
  CHECK(step.at_ns <= now_ns + TriageSchedule::kListenNs);
  CHECK(now_ns > last_ns);
  simulation.signals.alarm = true;
  const TriageSchedule::Step burst =
      simulation.schedule.Next(now_ns, true, simulation.signals, &simulation.budget);
  CHECK(burst.action == Action::kBurst);
  CHECK(burst.at_ns >= now_ns);
  CHECK(burst.at_ns <= now_ns + TriageSchedule::kAfterAlarmNs);
  simulation.signals.alarm = false;
  ++simulation.signals.launches;
  CHECK(simulation.schedule.Next(step.at_ns, true, simulation.signals, &simulation.budget).action ==
        Action::kBurst);
}

TEST_CASE(
    "Where the GPU is idle, bursts for something new wait for a launch that lacks samples, too") {
  constexpr int64_t kNewNs = 4 * kS, kStepNs = 100 * kMs, kWorkNs = 5 * kMs;
  const auto runs = [](int64_t at_ns) { return at_ns % kStepNs < kWorkNs; };
  Simulation simulation;
  simulation.signals.idle_share = 0.9;
  simulation.Run(5 * kS, [&](int64_t now_ns) {
    return Simulation::Now{true, now_ns < kNewNs ? 1u : 2u, 0.3, 5'000, false, runs(now_ns)};
  });
  int met = 0, all = 0;
  for (const int64_t at_ns : simulation.bursts) {
    if (at_ns < kNewNs + kWorkNs || all == TriageSchedule::kFreshBursts) continue;
    ++all;
    met += runs(at_ns) || at_ns % kStepNs < kWorkNs + TriageSchedule::kAfterAlarmNs ? 1 : 0;
  }
  CHECK(all == TriageSchedule::kFreshBursts);
  CHECK(met >= 2);  // one of four comes at any time
}

TEST_CASE("A burst also waits where the GPU is busy with a collective most of the time") {
  const auto listens = [](double idle_share, double waiting_share) {
    Simulation simulation;
    simulation.signals.idle_share = idle_share;
    simulation.signals.waiting_share = waiting_share;
    simulation.Run(5 * kS, [](int64_t) { return Simulation::Now{true, 1, 0.2, 0}; });
    return simulation.schedule.listens();
  };
  CHECK(listens(0.1, 0.7));
  CHECK(listens(0.3, 0.3));
  CHECK_FALSE(listens(0.1, 0.2));
}

TEST_CASE("What a burst met that waited for a kernel says nothing of the time with collectives") {
  Simulation simulation;
  simulation.signals.waiting_share = 0.8;
  simulation.Run(5 * kS, [](int64_t) { return Simulation::Now{true, 1, 0.2, 0}; });
  REQUIRE(simulation.schedule.listens());
  // From now on each burst that waited met kernels alone, and those at random times did not.
  const size_t before = simulation.bursts.size();
  simulation.signals.resolved = before;
  while (simulation.bursts.size() < before + 40) {
    ++simulation.signals.launches;
    simulation.signals.alarm = true;
    simulation.signals.expected_ns = simulation.now_ns + 2 * kMs;
    const TriageSchedule::Step step =
        simulation.schedule.Next(simulation.now_ns, true, simulation.signals, &simulation.budget);
    CHECK(simulation.schedule.listens());
    const int64_t now_ns = simulation.now_ns;
    simulation.Take(step);
    if (step.action != Action::kBurst) continue;
    simulation.signals.waiting_share = step.at_ns != now_ns ? 0 : 0.8;
    ++simulation.signals.resolved;
  }
}

TEST_CASE("Three bursts of four begin a little before the kernel that is expected") {
  constexpr int kBursts = 12;
  Simulation simulation;
  simulation.signals.idle_share = 0.8;
  simulation.Run(5 * kS, [](int64_t) { return Simulation::Now{true, 1, 0.2, 0}; });
  int met = 0;
  for (int i = 0; i < kBursts; ++i) {
    TriageSchedule::Step step;
    do {
      ++simulation.signals.launches;
      simulation.signals.alarm = true;
      simulation.signals.expected_ns = simulation.now_ns + 2 * kMs;
      step =
          simulation.schedule.Next(simulation.now_ns, true, simulation.signals, &simulation.budget);
      simulation.Take(step);
    } while (step.action != Action::kBurst);
    const int64_t expected_ns = simulation.signals.expected_ns;
    const int64_t samples_ns = step.at_ns + TriageSchedule::kBeginNs;
    if (samples_ns > expected_ns - TriageSchedule::kEarlierNs && samples_ns <= expected_ns) ++met;
  }
  CHECK(met == kBursts * 3 / 4);
}

TEST_CASE("A program that warms up costs few bursts, and gets many as soon as it runs") {
  // A new signature each 20 ms while the GPU is idle; then launches, 18 a millisecond.
  constexpr int64_t kWarmUpNs = kS;
  Simulation simulation;
  simulation.Run(2 * kS, [&](int64_t now_ns) {
    const bool warm = now_ns >= kWarmUpNs;
    simulation.signals.idle_share = warm ? 0.8 : 1;
    if (warm) simulation.signals.launches += 180;  // as it is asked each 10 ms at most
    const int64_t new_ns = std::min(now_ns, kWarmUpNs);
    return Simulation::Now{true, static_cast<uint64_t>(1 + new_ns / (20 * kMs)), 1, 0};
  });
  CHECK(simulation.BurstsIn(0, kWarmUpNs) <= 9);
  CHECK(simulation.BurstsIn(0, kWarmUpNs) >= 5);
  CHECK(simulation.BurstsIn(kWarmUpNs, kWarmUpNs + 50 * kMs) >= 1);
  CHECK(simulation.BurstsIn(kWarmUpNs, 2 * kS) >= 12);
}

TEST_CASE("An idle start does not make bursts wait in a loop that keeps the GPU busy") {
  // Code is loaded for 0.2 s with a launch now and then; then launches, 18 a millisecond.
  constexpr int64_t kLoopNs = 200 * kMs, kSeenNs = kLoopNs + TriageSchedule::kRateNs;
  Simulation simulation;
  bool waited = false;
  simulation.Run(kLoopNs + 300 * kMs, [&](int64_t now_ns) {
    const bool loop = now_ns >= kLoopNs;
    simulation.signals.idle_share = loop ? 0.1 : 1;
    if (loop) simulation.signals.launches += 180;  // as it is asked each 10 ms at most
    waited |= now_ns >= kSeenNs && simulation.schedule.listens();
    return Simulation::Now{now_ns < 10 * kMs || loop, loop ? 8u : 1u, 1, 0};
  });
  CHECK(simulation.BurstsIn(0, kLoopNs) >= 2);
  CHECK(simulation.BurstsIn(kSeenNs, kLoopNs + 300 * kMs) >= 4);
  CHECK_FALSE(waited);
}

TEST_CASE("A server that rests between its requests is known to be idle after a few of them") {
  constexpr int64_t kRequestNs = 250 * kMs, kWorkNs = 30 * kMs;
  Simulation simulation;
  simulation.signals.idle_share = 0.9;
  bool listens = false;
  simulation.Run(5 * kS, [&](int64_t now_ns) {
    const bool works = now_ns % kRequestNs < kWorkNs;
    if (works) simulation.signals.launches += 180;
    listens = simulation.schedule.listens();
    return Simulation::Now{works, 1, 0.3, 0};
  });
  CHECK(listens);
}

TEST_CASE("In a program that warms up bursts wait for kernels that come again") {
  // Each 200 ms a kernel comes again, and one that is new.
  const auto again = [](int64_t now_ns) { return now_ns % (200 * kMs) < 2 * kMs; };
  Simulation simulation;
  simulation.signals.idle_share = 1;
  simulation.Run(4 * kS, [&](int64_t now_ns) {
    simulation.signals.expected_ns = 0;
    return Simulation::Now{
        again(now_ns), static_cast<uint64_t>(1 + now_ns / (200 * kMs)), 1, 0, false, again(now_ns)};
  });
  const auto met = std::count_if(simulation.bursts.begin(), simulation.bursts.end(),
                                 [&](int64_t at_ns) { return at_ns % (200 * kMs) < 6 * kMs; });
  CHECK(simulation.bursts.size() <= 24);
  CHECK(met >= static_cast<int64_t>(simulation.bursts.size() / 2));
}

TEST_CASE("Where the GPU is idle, a kernel that runs for 2 ms of each step of 60 ms is met") {
  constexpr int64_t kStepNs = 60 * kMs, kBeginNs = 50 * kMs, kEndNs = 52 * kMs;
  constexpr int64_t kStartNs = kMs * 6 / 10;  // of a burst, after it was decided
  const auto runs = [](int64_t at_ns) {
    return at_ns % kStepNs >= kBeginNs && at_ns % kStepNs < kEndNs;
  };
  const auto met = [&](bool alarms) {
    Simulation simulation;
    simulation.signals.idle_share = 0.8;
    simulation.Run(8 * kS, [&](int64_t now_ns) {
      return Simulation::Now{true, 1, 0.3, 5'000, false, !alarms || runs(now_ns)};
    });
    return std::count_if(simulation.bursts.begin(), simulation.bursts.end(),
                         [&](int64_t at_ns) { return runs(at_ns + kStartNs); });
  };
  CHECK(met(true) >= 12);
  CHECK(met(true) > 3 * met(false));
}

}  // namespace
}  // namespace prof::cupti::test::triage_waiting_test
