// SPDX-License-Identifier: Apache-2.0
//
// Kernels that run for so long that nothing is launched meanwhile.
#include <algorithm>
#include <cstdint>

#include "cupti_backend/schedule/triage_schedule.h"
#include "test/cupti_backend/schedule/triage_simulation.h"
#include "test/support/catch.h"

namespace prof::cupti::test::triage_long_kernel_test {
namespace {

using Simulation = TriageSimulation;

constexpr int64_t kMs = 1'000'000, kS = 1'000'000'000;

TEST_CASE("A long kernel that follows a burst on an idle GPU is met soon, and without an alarm") {
  constexpr int64_t kFirstNs = 1500 * kMs;
  Simulation simulation;
  simulation.Run(3 * kS, [&](int64_t now_ns) {
    const bool runs = now_ns >= kFirstNs;
    simulation.signals.idle_share = runs ? 0 : 1;
    return Simulation::Now{runs, runs ? 1u : 0u, 1, 0, false, false};
  });
  CHECK(simulation.BurstsIn(0, kFirstNs) >= 1);
  CHECK(simulation.BurstsIn(kFirstNs, kFirstNs + kS) >= 3);
  CHECK(simulation.BurstsIn(kFirstNs, kFirstNs + 350 * kMs) >= 1);
}

TEST_CASE("A kernel of seconds gets a burst in each eighth of its time, however long it runs") {
  for (const double lacking : {0.0, 1.0}) {  // what ran before it is known, or nothing did
    Simulation simulation;
    simulation.signals.idle_share = 0;
    simulation.Run(41 * kS, [&](int64_t now_ns) {
      return Simulation::Now{now_ns < kS, 1, lacking, 0};
    });
    for (const int64_t seconds : {6, 13, 40}) {
      for (int64_t part = 0; part < 8; ++part) {
        if (lacking == 0 && part * seconds < 8) continue;  // the first second
        CAPTURE(lacking, seconds, part);
        CHECK(simulation.BurstsIn(kS + part * seconds * kS / 8,
                                  kS + (part + 1) * seconds * kS / 8) >= 1);
      }
    }
    CHECK(simulation.BurstsIn(kS, 41 * kS) <= 70);
    CHECK(simulation.let_go.empty());
  }
}

TEST_CASE("The interval does not change while one kernel runs for seconds") {
  for (const bool launches : {false, true}) {
    Simulation simulation;
    simulation.signals.idle_share = 0;
    simulation.Run(12 * kS, [&](int64_t now_ns) {
      return Simulation::Now{launches || now_ns < kS, 1, 1, now_ns < 2 * kS ? 5'000 : 50'000};
    });
    CHECK(simulation.opened.size() == (launches ? 1 : 0));
  }
}

TEST_CASE("A kernel that runs for hours leaves the hardware to others") {
  Simulation simulation;
  simulation.signals.idle_share = 0;
  simulation.Run(200 * kS, [](int64_t now_ns) { return Simulation::Now{now_ns < kS, 1, 1, 0}; });
  REQUIRE(simulation.let_go.size() == 1);
  CHECK(simulation.let_go[0] > 60 * kS);
  CHECK(simulation.let_go[0] < 75 * kS);
}

TEST_CASE("Where no burst can show that the GPU is idle, a quiet program has no long kernel") {
  Simulation simulation;
  simulation.signals.knows_idle = false;
  simulation.Run(40 * kS, [](int64_t now_ns) { return Simulation::Now{now_ns < kS, 1, 1, 0}; });
  CHECK(simulation.BurstsIn(3 * kS, 40 * kS) <= 10);
  CHECK(simulation.let_go.size() == 1);
}

}  // namespace
}  // namespace prof::cupti::test::triage_long_kernel_test
