// SPDX-License-Identifier: Apache-2.0
//
// Simulated programs under --counters auto, each with kernels, order and timing of its own. What
// they hold: how much of the GPU time has a known use of the units, and is decided, and what that
// costs.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "test/cupti_backend/schedule/simulated_machine.h"
#include "test/support/catch.h"
#include "test/support/rounds.h"

namespace prof::cupti::test::simulated_programs_test {
namespace {

constexpr int64_t kUs = 1'000, kMs = 1'000'000, kS = 1'000'000'000;
// Of each kind of program. A few of them have no mean.
constexpr uint32_t kFew = prof::test::Rounds(5, 1), kTen = prof::test::Rounds(10, 1);
constexpr uint32_t kTwenty = prof::test::Rounds(20, 1), kThirty = prof::test::Rounds(30, 2);
constexpr bool kHasMeans = kThirty == 30;

using Kernels = std::vector<SimulatedKernel>;
using Body = std::function<void(SimulatedMachine&, Kernels&, std::mt19937&)>;

struct Outcome {
  double known = 0, decided = 0;  // of the GPU time
  double run_s = 0, ranges_s = 0, triage_s = 0;
  int turns = 0, bursts = 0;
};

Kernels RandomKernels(std::mt19937& random, int count, int64_t least_ns, int64_t most_ns) {
  Kernels kernels;
  for (int i = 0; i < count; ++i) kernels.push_back(RandomKernel(random, i, least_ns, most_ns));
  return kernels;
}

Outcome OutcomeOf(const SimulatedMachine& machine, const Kernels& kernels) {
  Outcome outcome;
  double all = 0;
  for (const SimulatedKernel& kernel : kernels) {
    all += kernel.gpu_ns;
    if (machine.Known(kernel)) outcome.known += kernel.gpu_ns;
    if (machine.Decided(kernel)) outcome.decided += kernel.gpu_ns;
  }
  outcome.known /= std::max(all, 1.0);
  outcome.decided /= std::max(all, 1.0);
  outcome.run_s = static_cast<double>(machine.now_ns()) * 1e-9;
  outcome.ranges_s = static_cast<double>(machine.ranges_ns()) * 1e-9;
  outcome.triage_s = static_cast<double>(machine.triage_ns()) * 1e-9;
  outcome.turns = machine.turns();
  outcome.bursts = machine.bursts();
  return outcome;
}

Outcome Simulate(uint32_t seed, Kernels kernels, std::mt19937& random, const Body& body) {
  const auto machine = std::make_unique<SimulatedMachine>(seed);
  body(*machine, kernels, random);
  const Outcome outcome = OutcomeOf(*machine, kernels);
  UNSCOPED_INFO("seed " << seed << ": known " << outcome.known << ", decided " << outcome.decided
                        << ", run " << outcome.run_s << " s, ranges " << outcome.ranges_s
                        << " s in " << outcome.turns << " turns, triage " << outcome.triage_s
                        << " s in " << outcome.bursts << " bursts");
  // One change or turn may begin just before the budget ends.
  CHECK(outcome.ranges_s <= 0.5 + 0.02 * outcome.run_s + 0.03);
  // A minute's share is saved up before; one session may be opened beside a full link.
  CHECK(outcome.triage_s <= 0.03 * (60 + outcome.run_s) + 1);
  return outcome;
}

Outcome Simulate(uint32_t seed, int kernels, int64_t least_ns, int64_t most_ns, const Body& body) {
  std::mt19937 random(seed);
  return Simulate(seed, RandomKernels(random, kernels, least_ns, most_ns), random, body);
}

// Runs the kernels in their order, for so long.
void Loop(SimulatedMachine& machine, Kernels& kernels, int64_t ns, bool in_graph = false) {
  const int64_t until_ns = machine.now_ns() + ns;
  while (machine.now_ns() < until_ns) {
    for (SimulatedKernel& kernel : kernels) machine.Run(kernel, in_graph);
  }
}

// Runs one kernel after the other, each for so long.
void Phases(SimulatedMachine& machine, Kernels& kernels, int64_t ns) {
  for (SimulatedKernel& kernel : kernels) {
    const int64_t until_ns = machine.now_ns() + ns;
    while (machine.now_ns() < until_ns) machine.Run(kernel);
  }
}

// Of 100 such loops 93 were decided for 97 % of the GPU time or more, 99.4 % in the mean; the worst
// for 92 %: the budget of ranges was spent.
TEST_CASE("Steady loops are decided, within the budget") {
  double decided = 0;
  for (uint32_t seed = 1; seed <= kTen; ++seed) {
    const int kernels = 6 + static_cast<int>(seed % 5) * 3;
    const Outcome outcome =
        Simulate(seed, kernels, 20 * kUs, 300 * kUs,
                 [](auto& machine, auto& program, auto&) { Loop(machine, program, 12 * kS); });
    CHECK(outcome.known == 1);
    CHECK(outcome.decided >= 0.9);
    decided += outcome.decided / kTen;
  }
  if (kHasMeans) CHECK(decided >= 0.98);
}

TEST_CASE("The use of the units is known of phases of 0.3 s") {
  for (uint32_t seed = 11; seed < 11 + kFew; ++seed) {
    const Outcome outcome =
        Simulate(seed, 30, 10 * kUs, 500 * kUs,
                 [](auto& machine, auto& program, auto&) { Phases(machine, program, 300 * kMs); });
    CHECK(outcome.known >= 0.95);
  }
}

TEST_CASE("Phases that come again are decided as far as the budget goes") {
  for (uint32_t seed = 21; seed < 21 + kFew; ++seed) {
    const Outcome outcome = Simulate(seed, 8, 10 * kUs, 500 * kUs,
                                     [](auto& machine, auto& program, std::mt19937& random) {
                                       for (int round = 0; round < 8; ++round) {
                                         std::shuffle(program.begin(), program.end(), random);
                                         Phases(machine, program, 300 * kMs);
                                       }
                                     });
    CHECK(outcome.known >= 0.99);
    CHECK(outcome.decided >= 0.45);  // the budget has one or two turns on the hardware
  }
}

TEST_CASE("Of 200 signatures those with most time are decided") {
  for (uint32_t seed = 31; seed < 31 + kFew; ++seed) {
    const Outcome outcome =
        Simulate(seed, 200, 5 * kUs, 400 * kUs,
                 [](auto& machine, auto& program, auto&) { Loop(machine, program, 20 * kS); });
    CHECK(outcome.known >= 0.85);
    CHECK(outcome.decided >= 0.3);
  }
}

TEST_CASE("Two kernels that alternate are decided, and the hardware is let go") {
  for (uint32_t seed = 41; seed < 41 + kFew; ++seed) {
    bool holds = true;
    const Outcome outcome =
        Simulate(seed, 2, 20 * kUs, 300 * kUs, [&](auto& machine, auto& program, auto&) {
          Loop(machine, program, 6 * kS);
          holds = machine.ranges_hold_hardware();
          CHECK(machine.policy().Complete(machine.now_ns()));
        });
    CHECK(outcome.decided == 1);
    CHECK_FALSE(holds);
  }
}

TEST_CASE("Kernels that run eagerly before they run in a graph are decided there") {
  for (uint32_t seed = 51; seed < 51 + kFew; ++seed) {
    const Outcome outcome =
        Simulate(seed, 6, 20 * kUs, 200 * kUs, [](auto& machine, auto& program, auto&) {
          Loop(machine, program, 3 * kS);
          Loop(machine, program, 5 * kS, true);
        });
    CHECK(outcome.known == 1);
    CHECK(outcome.decided >= 0.98);
  }
}

TEST_CASE("A program of less than half a second is known, and takes no turn") {
  for (uint32_t seed = 61; seed < 61 + kFew; ++seed) {
    const Outcome outcome =
        Simulate(seed, 4, 20 * kUs, 200 * kUs, [&](auto& machine, auto& program, auto&) {
          Loop(machine, program, static_cast<int64_t>(seed - 60) * 90 * kMs);
          machine.Idle(2 * kS);  // its records come
        });
    CHECK(outcome.known >= 0.99);
    CHECK(outcome.turns == 0);
  }
}

TEST_CASE("What follows kernels that fill the link to the host is known, too") {
  double known = 0;
  int opened = 0;  // beside them, which takes half of the budget
  for (uint32_t seed = 71; seed < 71 + kTwenty; ++seed) {
    std::mt19937 random(seed);
    Kernels kernels = RandomKernels(random, 20, 50 * kUs, 700 * kUs);
    for (size_t i = 2; i < kernels.size(); i += 3) kernels[i].fills_link = true;
    const Outcome outcome =
        Simulate(seed, kernels, random, [&](auto& machine, auto& program, auto&) {
          Phases(machine, program, 1500 * kMs);
          machine.Idle(2 * kS);
          opened += machine.link_opens();
        });
    CHECK(outcome.known >= 0.94);
    known += outcome.known / kTwenty;
  }
  if (!kHasMeans) return;
  CHECK(known >= 0.99);
  CHECK(opened >= 5);
}

// A program of its own: how many kernels, how long, in which order, with which pauses.
void RunDrawn(SimulatedMachine& machine, Kernels& kernels, std::mt19937& random) {
  const auto draw = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  const int64_t until_ns = machine.now_ns() + draw(3, 20) * kS;
  const bool in_phases = random() % 2 == 0;
  const int64_t pause_ns = random() % 3 == 0 ? draw(100 * kUs, 20 * kMs) : 0;
  const int64_t eager_until_ns = random() % 4 == 0 ? machine.now_ns() + kS : INT64_MAX;
  while (machine.now_ns() < until_ns) {
    if (in_phases) {
      std::shuffle(kernels.begin(), kernels.end(), random);
      Phases(machine, kernels, draw(300, 900) * kMs);
    } else {
      for (int i = 0; i < 20; ++i) {
        Loop(machine, kernels, 1, machine.now_ns() > eager_until_ns);
        if (pause_ns > 0) machine.Idle(pause_ns);
      }
    }
  }
  machine.Idle(2 * kS);
}

// Of 360 programs 356 had a known use for 93 % of the GPU time or more, 99.4 % in the mean. The
// worst of the others had 55 %. Two of these four are idle for 17 and 19 ms between kernels of some
// ms in all, which bursts come too late for; the other two were not looked into.
TEST_CASE("Thirty programs that are drawn anew have a known use of the units") {
  double known = 0;
  int well_known = 0;
  const uint32_t first = std::random_device()();
  for (uint32_t seed = first; seed != first + kThirty; ++seed) {
    std::mt19937 random(seed);
    const int kernels = static_cast<int>(2 + random() % 30);
    const Outcome outcome =
        Simulate(seed, RandomKernels(random, kernels, 5 * kUs, 800 * kUs), random, &RunDrawn);
    known += outcome.known / kThirty;
    well_known += outcome.known >= 0.9 ? 1 : 0;
  }
  CAPTURE(first);
  if (!kHasMeans) return;
  CHECK(known >= 0.93);
  CHECK(well_known >= 27);
}

}  // namespace
}  // namespace prof::cupti::test::simulated_programs_test
