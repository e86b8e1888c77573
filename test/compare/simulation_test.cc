// SPDX-License-Identifier: Apache-2.0
//
// Few draws of what bench/bench_compare.cc counts in many: equal runs raise no alarm, slow-downs
// are found. Each run of the test draws anew, and prints its seed where it fails.
#include "test/compare/simulation.h"

#include <random>
#include <string>
#include <vector>

#include "test/support/catch.h"

namespace prof::test::simulation_test {
namespace {

constexpr int kDraws = 25;
constexpr int kRuns = 7;

std::vector<RecordedKernel> Recorded() {
  std::vector<RecordedKernel> kernels =
      LaunchesIn(PROF_RECORDINGS "/transformer_layer_2048.prof", 200);
  if (kernels.size() > 6) kernels.resize(6);
  return kernels;
}

CompareOptions Options() {
  CompareOptions options;
  options.resamples = 300;
  options.least_share = 0;
  return options;
}

int CountFound(Simulation* simulation, const std::vector<RecordedKernel>& kernels,
               double slow_down) {
  int found = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    const size_t kernel = simulation->AnyKernel();
    const Outcome outcome = simulation->Draw(kRuns, {kernel, slow_down}, Options());
    found += IsFound(outcome.comparison, kernels[kernel].name) ? 1 : 0;
  }
  return found;
}

// With 1 % of false alarms, four in 25 draws have a chance of 1e-4.
TEST_CASE("Equal runs that are drawn from real launches raise hardly an alarm") {
  const std::vector<RecordedKernel> kernels = Recorded();
  REQUIRE(kernels.size() >= 4);
  const uint64_t seed = std::random_device()();
  INFO("seed " << seed);
  Simulation simulation(kernels, 200, seed);
  int alarms = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    alarms += IsAlarm(simulation.Draw(kRuns, {}, Options()).comparison) ? 1 : 0;
  }
  CHECK(alarms <= 3);
}

// Missed are kernels whose own noise is of the size of the slow-down: 1 in 20 of those that were
// measured. With 10 % missed, nine of 25 have a chance of 2e-4.
TEST_CASE("A slow-down of 10 % in one kernel is found in nearly all draws") {
  const std::vector<RecordedKernel> kernels = Recorded();
  REQUIRE(kernels.size() >= 4);
  const uint64_t seed = std::random_device()();
  INFO("seed " << seed);
  Simulation simulation(kernels, 200, seed);
  CHECK(CountFound(&simulation, kernels, 1.10) >= 17);
}

}  // namespace
}  // namespace prof::test::simulation_test
