// SPDX-License-Identifier: Apache-2.0
#include "cupti_backend/schedule/triage_schedule.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cupti_backend/schedule/need_schedule.h"
#include "test/cupti_backend/schedule/triage_simulation.h"
#include "test/support/catch.h"

namespace prof::cupti::test::triage_schedule_test {
namespace {

using Simulation = TriageSimulation;

constexpr int64_t kMs = 1'000'000, kS = 1'000'000'000;

TEST_CASE("The first launch brings a burst at once, and many follow in the first second") {
  Simulation simulation;
  simulation.Run(2 * kS, [](int64_t now_ns) {
    return Simulation::Now{now_ns >= 300 * kMs, now_ns >= 300 * kMs ? 1u : 0u, 1, 0};
  });
  CHECK(simulation.BurstsIn(0, 300 * kMs) <= 1);
  CHECK(simulation.BurstsIn(300 * kMs, 315 * kMs) == 1);
  CHECK(simulation.BurstsIn(300 * kMs, 1300 * kMs) >= 8);
}

TEST_CASE("The bursts for something new follow each other within milliseconds, never in step") {
  Simulation simulation;
  simulation.Run(200 * kMs, [](int64_t) { return Simulation::Now{true, 1, 1}; });
  REQUIRE(simulation.bursts.size() >= TriageSchedule::kFreshBursts);
  int64_t before_ns = 0;
  for (int i = 1; i < TriageSchedule::kFreshBursts; ++i) {
    const auto at = static_cast<size_t>(i);
    const int64_t apart_ns =
        simulation.bursts[at] - simulation.bursts[at - 1] - simulation.burst_cpu_ns;
    CHECK(apart_ns >= 2 * kMs);
    CHECK(apart_ns <= 20 * kMs);
    CHECK(apart_ns != before_ns);
    before_ns = apart_ns;
  }
}

TEST_CASE("A program that always has something new stays within the share of a core") {
  Simulation simulation;
  simulation.Run(600 * kS, [](int64_t now_ns) {
    return Simulation::Now{true, static_cast<uint64_t>(now_ns / (100 * kMs)), 1, 0};
  });
  // A minute's share was saved up before.
  CHECK(static_cast<double>(simulation.cpu_ns) < 0.03 * 660e9);
  CHECK(static_cast<double>(simulation.cpu_ns) > 0.02 * 600e9);
}

TEST_CASE("After an expensive step what is new gets its bursts, until the budget has paid for it") {
  Simulation simulation;
  // Ten new kernels a second use up what was saved. Then there is one a second.
  const auto program = [](int64_t now_ns) {
    const int64_t many_ns = std::min(now_ns, 40 * kS);
    return Simulation::Now{
        true, static_cast<uint64_t>(many_ns / (100 * kMs) + (now_ns - many_ns) / kS), 1, 0};
  };
  simulation.Run(40 * kS, program);
  REQUIRE(simulation.budget.Fullness(simulation.now_ns) < 0.2);
  simulation.open = false;
  simulation.open_cpu_ns = 800 * kMs;
  while (!simulation.open) simulation.Run(simulation.now_ns + 10 * kMs, program);
  const int64_t from_ns = simulation.now_ns;
  simulation.Run(from_ns + 10 * kS, program);
  CHECK(simulation.BurstsIn(from_ns, simulation.now_ns) >= 8);
  CHECK(simulation.budget.LeftNs(simulation.now_ns) < 0);
  // And then it is paid for, however often that happens.
  for (int i = 0; i < 55; ++i) {
    simulation.open = false;
    simulation.Run(simulation.now_ns + 10 * kS, program);
  }
  CHECK(static_cast<double>(simulation.cpu_ns) < 0.03 * 660e9 + 1e9);
}

TEST_CASE("While most of the GPU's time lacks samples, bursts come as for something new") {
  Simulation simulation;
  simulation.Run(2 * kS, [](int64_t) { return Simulation::Now{true, 1, 0.8, 0}; });
  CHECK(simulation.BurstsIn(Simulation::kResolvedNs, Simulation::kResolvedNs + 500 * kMs) >= 10);
}

TEST_CASE("Each phase of 0.3 s gets bursts, for as long as the budget's minute lasts") {
  Simulation simulation;
  constexpr int64_t kPhaseNs = 300 * kMs;
  // The kernels of each phase want an interval of their own.
  simulation.Run(31 * kPhaseNs, [](int64_t now_ns) {
    const int64_t phase = now_ns / kPhaseNs;
    return Simulation::Now{true, static_cast<uint64_t>(1 + phase), 1, 5'000 << phase * 7 % 3};
  });
  CHECK(simulation.opened.size() <= 1);
  for (int64_t phase = 0; phase < 31; ++phase) {
    INFO(phase);
    CHECK(simulation.BurstsIn(phase * kPhaseNs, (phase + 1) * kPhaseNs) >=
          TriageSchedule::kFreshBursts);
  }
}

TEST_CASE("Where the bursts for something new lie within one launch, five more follow at once") {
  Simulation simulation;
  const auto one_phase = [](int64_t) { return Simulation::Now{true, 1, 1, 0}; };
  constexpr int64_t kPhaseNs = 300 * kMs;
  simulation.signals.resolved = 0;
  SECTION("in the first phase of a program") {
    simulation.signals.within_launch = true;
    simulation.Run(kPhaseNs, one_phase);
    CHECK(simulation.BurstsIn(0, kPhaseNs) ==
          TriageSchedule::kFreshBursts + TriageSchedule::kMoreOfLong);
  }
  SECTION("not for launches that are shorter") {
    simulation.Run(kPhaseNs, one_phase);
    CHECK(simulation.BurstsIn(0, kPhaseNs) == TriageSchedule::kFreshBursts);
  }
  SECTION("not where hardly anything lacks samples: other new kernels are short") {
    simulation.signals.within_launch = true;
    simulation.Run(kPhaseNs, [](int64_t) { return Simulation::Now{true, 1, 0.05, 0}; });
    CHECK(simulation.BurstsIn(0, kPhaseNs) == TriageSchedule::kFreshBursts);
  }
  SECTION("not when half of the budget is gone, which what comes later needs") {
    simulation.signals.within_launch = true;
    simulation.budget.Spend(1'000 * kMs);
    simulation.Run(kPhaseNs, one_phase);
    CHECK(simulation.BurstsIn(0, kPhaseNs) == TriageSchedule::kFewFreshBursts);
  }
}

// 31 kernels that a program runs once, all at the start, and then each in a phase of its own.
TEST_CASE("Phases whose kernels ran before get their bursts at once, too") {
  constexpr int kPhases = 31;
  constexpr int64_t kPhaseNs = 300 * kMs, kRoundNs = 20 * kMs;
  Simulation simulation;
  NeedSchedule needs(5, 0, 1);
  std::vector<SampleSchedule::Entry> kernels(kPhases);
  const auto launch = [&](size_t kernel, int64_t now_ns) {
    needs.Considers(kernels[kernel], now_ns);
  };
  for (size_t i = 0; i < kernels.size(); ++i) {
    needs.Add(kernels[i], 0, i + 1);
    launch(i, 1);
  }
  int64_t refreshed_ns = 0;
  simulation.Run((kPhases + 1) * kPhaseNs, [&](int64_t now_ns) {
    const int64_t phase = now_ns / kPhaseNs - 1;
    if (phase >= 0) launch(static_cast<size_t>(phase), now_ns);
    if (now_ns - refreshed_ns >= kRoundNs) needs.Refresh(true, refreshed_ns = now_ns);
    // The bursts' records come later, and are of earlier phases.
    return Simulation::Now{true, kPhases + needs.returns(), 0, 0};
  });
  for (int64_t phase = 1; phase <= kPhases; ++phase) {
    INFO(phase);
    const int64_t begin_ns = phase * kPhaseNs;
    CHECK(simulation.BurstsIn(begin_ns, begin_ns + kPhaseNs) >= TriageSchedule::kFewFreshBursts);
  }
}

// 30 kernels of 1.5 s each, one after the other. Bursts cost what they do beside a busy program.
TEST_CASE("Kernels that run for a while each all get some bursts at once, and few more") {
  constexpr int64_t kKernelNs = 1'500 * kMs;
  Simulation simulation;
  simulation.burst_cpu_ns = 28 * kMs;
  const auto begin_ns = [&](int64_t now_ns) { return now_ns / kKernelNs * kKernelNs; };
  simulation.Run(20 * kKernelNs, [&](int64_t now_ns) {
    // It lacks samples until the three bursts are known.
    const int64_t known_ns = now_ns - Simulation::kResolvedNs;
    const bool known = simulation.BurstsIn(begin_ns(now_ns), known_ns) >= 3;
    return Simulation::Now{true, static_cast<uint64_t>(1 + now_ns / kKernelNs), known ? 0. : 1., 0};
  });
  for (int64_t kernel = 0; kernel < 20; ++kernel) {
    INFO(kernel);
    const int64_t at_ns = kernel * kKernelNs;
    CHECK(simulation.BurstsIn(at_ns, at_ns + 200 * kMs) >= TriageSchedule::kFewFreshBursts);
    CHECK(simulation.BurstsIn(at_ns, at_ns + kKernelNs) >= TriageSchedule::kFreshBursts);
  }
  CHECK(simulation.bursts.size() <= 100);
}

TEST_CASE("The hardware is kept where the budget would not pay for getting it back") {
  Simulation simulation;
  TriageBudget empty(3, 0);
  empty.Spend(1'700 * kMs);
  CHECK(simulation.schedule.MayGiveAway(0, &simulation.budget));
  CHECK(simulation.schedule.MayGiveAway(0, &empty));  // nothing new has come yet
  simulation.Run(100 * kMs, [](int64_t) { return Simulation::Now{true, 1, 0}; });
  CHECK(simulation.schedule.MayGiveAway(simulation.now_ns, &simulation.budget));
  CHECK_FALSE(simulation.schedule.MayGiveAway(simulation.now_ns, &empty));
  CHECK(simulation.schedule.MayGiveAway(TriageSchedule::kSteadyNs + kS, &empty));
}

TEST_CASE(
    "Between short phases the hardware is kept, as ranges would have to give it back at once") {
  for (const int64_t phase_ns : {600 * kMs, 1500 * kMs}) {
    Simulation simulation;
    const auto program = [&](int64_t now_ns) {
      const bool ends = now_ns >= 6 * phase_ns;  // nothing new comes any more
      return Simulation::Now{true, ends ? 6U : static_cast<uint64_t>(now_ns / phase_ns + 1), 0};
    };
    simulation.Run(5 * phase_ns + 400 * kMs, program);
    const bool is_short = phase_ns < kS;
    CHECK(simulation.schedule.MayGiveAway(simulation.now_ns, &simulation.budget) != is_short);
    simulation.Run(6 * phase_ns - 100 * kMs, program);  // just before the next one is expected
    CHECK_FALSE(simulation.schedule.MayGiveAway(simulation.now_ns, &simulation.budget));
    simulation.Run(7 * phase_ns + 100 * kMs, program);
    CHECK(simulation.schedule.MayGiveAway(simulation.now_ns, &simulation.budget));
  }
}

TEST_CASE("Bursts for one new kernel are followed by none until it is known what they met") {
  Simulation simulation;
  const auto program = [](int64_t) { return Simulation::Now{true, 1, 1}; };
  simulation.Run(Simulation::kResolvedNs, program);
  CHECK(simulation.bursts.size() == TriageSchedule::kFreshBursts);
  simulation.Run(TriageSchedule::kFreshNs, program);  // all lacks samples: it goes on
  CHECK(simulation.bursts.size() > 8);
}

TEST_CASE("After a burst that brought no samples it is known all the same what the others met") {
  Simulation simulation;
  simulation.lost = 1;
  const auto program = [](int64_t) { return Simulation::Now{true, 1, 1}; };
  simulation.Run(TriageSchedule::kFreshNs, program);
  CHECK(simulation.BurstsIn(Simulation::kResolvedNs, TriageSchedule::kFreshNs) > 4);
}

TEST_CASE("Where many kernels are new, bursts go on before anything is known") {
  Simulation simulation;
  simulation.Run(Simulation::kResolvedNs, [](int64_t) { return Simulation::Now{true, 15, 1}; });
  CHECK(simulation.bursts.size() >= 12);
}

// Kernels of 0.3 s each, and bursts as dear as beside two H100.
TEST_CASE("The budget of a minute lasts for 30 phases where a burst costs 31 ms") {
  constexpr int64_t kPhaseNs = 300 * kMs;
  Simulation simulation;
  simulation.burst_cpu_ns = 31 * kMs;
  simulation.Run(30 * kPhaseNs, [](int64_t now_ns) {
    return Simulation::Now{true, static_cast<uint64_t>(1 + now_ns / kPhaseNs), 1, 0};
  });
  for (int64_t phase = 0; phase < 30; ++phase) {
    INFO(phase);
    const size_t bursts = simulation.BurstsIn(phase * kPhaseNs, (phase + 1) * kPhaseNs);
    CHECK(bursts >= (phase < 20 ? 2U : 1U));
  }
}

TEST_CASE("When all kernels have enough samples, bursts become rare and the hardware is let go") {
  Simulation simulation;
  simulation.Run(60 * kS, [](int64_t now_ns) {
    return Simulation::Now{true, 1, now_ns < 2 * kS ? 1. : 0.};
  });
  CHECK(simulation.BurstsIn(4 * kS, 10 * kS) <= 6);
  REQUIRE(simulation.let_go.size() == 1);
  CHECK(simulation.let_go.front() < 14 * kS);
  CHECK(simulation.BurstsIn(15 * kS, 60 * kS) == 0);
}

TEST_CASE("Where streams may wait for each other the hardware is let go as soon as all is known") {
  Simulation simulation;
  simulation.Run(5 * kS, [](int64_t now_ns) {
    return Simulation::Now{true, 1, now_ns < 2 * kS ? 1. : 0., 0, true};
  });
  CHECK(simulation.BurstsIn(0, 2 * kS) >= 8);
  REQUIRE(simulation.let_go.size() == 1);
  CHECK(simulation.let_go.front() > 2 * kS);
  CHECK(simulation.let_go.front() < 2 * kS + 2 * TriageSchedule::kLetGoOfStreamsNs);
}

TEST_CASE("Something new takes the hardware again") {
  Simulation simulation;
  simulation.Run(60 * kS, [](int64_t now_ns) {
    return Simulation::Now{true, now_ns < 40 * kS ? 1u : 2u, now_ns < kS ? 1. : 0.};
  });
  CHECK(simulation.let_go.size() >= 1);
  REQUIRE(simulation.opened.size() == 1);
  CHECK(simulation.BurstsIn(40 * kS, 41 * kS) >= TriageSchedule::kFreshBursts);
}

TEST_CASE("Something new keeps the hardware until little lacks samples, for a second at most") {
  Simulation simulation;
  bool little = false;
  const auto program = [&](int64_t) { return Simulation::Now{true, 1, little ? 0.05 : 0.5}; };
  while (simulation.bursts.empty()) simulation.Run(simulation.now_ns + kMs, program);
  little = true;
  simulation.Run(simulation.now_ns + kMs, program);
  CHECK(simulation.schedule.fresh(simulation.now_ns));  // its bursts are not all taken
  while (simulation.bursts.size() < TriageSchedule::kFreshBursts) {
    simulation.Run(simulation.now_ns + kMs, program);
  }
  simulation.Run(simulation.now_ns + kMs, program);
  CHECK(simulation.now_ns < TriageSchedule::kFreshNs);
  CHECK_FALSE(simulation.schedule.fresh(simulation.now_ns));
  little = false;
  simulation.Run(simulation.now_ns + kMs, program);
  CHECK(simulation.schedule.fresh(simulation.now_ns));
  CHECK_FALSE(simulation.schedule.fresh(TriageSchedule::kFreshNs + kS));
}

TEST_CASE("The interval follows the durations of the kernels, and does not flutter") {
  Simulation simulation;
  simulation.Run(20 * kS, [](int64_t now_ns) {
    const bool long_ones = now_ns > 3 * kS;
    return Simulation::Now{true, 1, 0.5, long_ones ? 50'000 : 5'000};
  });
  REQUIRE(simulation.opened == std::vector<int64_t>{50'000});
  CHECK(simulation.lengths.front() == TriageSchedule::kBurstSamples * 5'000);
  CHECK(simulation.lengths.back() == TriageSchedule::kBurstSamples * 50'000);
}

TEST_CASE("A program that does not launch is hardly looked at") {
  Simulation simulation;
  simulation.Run(60 * kS, [&](int64_t now_ns) {
    simulation.signals.idle_share = now_ns < 100 * kMs ? 0 : 1;
    return Simulation::Now{now_ns < 100 * kMs, 1, 1};
  });
  CHECK(simulation.BurstsIn(2 * kS, 60 * kS) <= 12);
}

TEST_CASE("A GPU that did nothing is hardly looked at before something is launched") {
  constexpr int64_t kLoadedNs = 9 * kS;
  const auto bursts = [](double idle_share) {
    Simulation simulation;
    simulation.signals.idle_share = idle_share;
    simulation.Run(kLoadedNs + 100 * kMs, [](int64_t now_ns) {
      return Simulation::Now{now_ns >= kLoadedNs, now_ns >= kLoadedNs ? 1u : 0u, 1};
    });
    CHECK(simulation.BurstsIn(kLoadedNs, kLoadedNs + 15 * kMs) == 1);
    return simulation.BurstsIn(0, kLoadedNs);
  };
  CHECK(bursts(1) <= 2);
  CHECK(bursts(0) >= 6);  // something runs for long
}

TEST_CASE("Bursts do not keep step with a loop") {
  Simulation simulation;
  simulation.Run(20 * kS, [](int64_t) { return Simulation::Now{true, 1, 1}; });
  // Of a loop of 7 ms, every seventh part is met.
  std::vector<int> parts(7);
  for (const int64_t at_ns : simulation.bursts) ++parts[static_cast<size_t>(at_ns / kMs % 7)];
  CHECK(*std::min_element(parts.begin(), parts.end()) > 0);
}

}  // namespace
}  // namespace prof::cupti::test::triage_schedule_test
