// SPDX-License-Identifier: Apache-2.0
//
// How often a comparison of equal runs raises an alarm, and how often it finds a planted slow-down.
// Runs are drawn from the launches of recordings (test/compare/simulation.h). Prints JSON.
//
//   bench_compare PAIRS SEED RECORDING...      SEED 0: another one each time
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "test/compare/simulation.h"

namespace {

using prof::test::RecordedKernel;

constexpr size_t kLeastLaunches = 200;
constexpr int64_t kLaunches = 400;
constexpr double kQuietNoise = 0.015;  // kernels whose threshold stays at 5 %: 3 x 1.5 %

// Wilson's interval for `hits` of `n`, 95 %.
struct Share {
  double low = 0, high = 0;
};

Share Wilson(int hits, int n) {
  const double z = 1.959964, p = static_cast<double>(hits) / std::max(n, 1), m = std::max(n, 1);
  const double middle = p + z * z / (2 * m),
               half = z * std::sqrt((p * (1 - p) + z * z / (4 * m)) / m);
  return {std::max(0.0, middle - half) / (1 + z * z / m), (middle + half) / (1 + z * z / m)};
}

void PrintRow(const char* name, int runs, const char* kernels, int hits, int n, bool is_last) {
  const Share share = Wilson(hits, n);
  std::printf(
      "  {\"name\": \"%s\", \"runs_of_each_side\": %d, \"kernels\": \"%s\", \"pairs\": %d, "
      "\"hits\": %d, \"low\": %.4f, \"high\": %.4f}%s\n",
      name, runs, kernels, n, hits, share.low, share.high, is_last ? "" : ",");
}

void CountAlarms(prof::test::Simulation* simulation, int runs, int pairs) {
  int alarms = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    alarms += prof::test::IsAlarm(simulation->Draw(runs, {}, {}).comparison) ? 1 : 0;
  }
  PrintRow("false alarm in any kernel or in the run", runs, "all", alarms, pairs, false);
}

void CountFound(prof::test::Simulation* simulation, const std::vector<RecordedKernel>& kernels,
                double slow_down, int runs, int pairs, bool is_last) {
  prof::CompareOptions options;
  options.least_share = 0;  // the planted kernel is always tested
  int found = 0, quiet = 0, quiet_found = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    const size_t kernel = simulation->AnyKernel();
    const prof::test::Outcome outcome = simulation->Draw(runs, {kernel, slow_down}, options);
    const int hit = prof::test::IsFound(outcome.comparison, kernels[kernel].name) ? 1 : 0;
    found += hit;
    if (outcome.noise > kQuietNoise) continue;
    ++quiet;
    quiet_found += hit;
  }
  char name[64];
  std::snprintf(name, sizeof(name), "slow-down of %.0f %% found", 100 * (slow_down - 1));
  PrintRow(name, runs, "all", found, pairs, false);
  PrintRow(name, runs, "noise of 1.5 % or less", quiet_found, quiet, is_last);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "bench_compare PAIRS SEED RECORDING...\n");
    return 2;
  }
  const int pairs = std::atoi(argv[1]);
  uint64_t seed = std::strtoull(argv[2], nullptr, 10);
  if (seed == 0) seed = std::random_device()();
  std::vector<RecordedKernel> kernels;
  for (int i = 3; i < argc; ++i) {
    for (RecordedKernel& kernel : prof::test::LaunchesIn(argv[i], kLeastLaunches)) {
      kernel.name = "kernel " + std::to_string(kernels.size());
      kernels.push_back(std::move(kernel));
    }
  }
  if (kernels.empty()) {
    std::fprintf(stderr, "bench_compare: no kernel has %zu launches\n", kLeastLaunches);
    return 2;
  }
  prof::test::Simulation simulation(kernels, kLaunches, seed);
  std::printf(" \"seed\": %llu,\n \"kernels\": %zu,\n \"launches_of_a_run\": %lld,\n \"rows\": [\n",
              static_cast<unsigned long long>(seed), kernels.size(),
              static_cast<long long>(kLaunches));
  for (const int runs : {5, 7, 10}) CountAlarms(&simulation, runs, pairs);
  for (const int runs : {5, 7, 10}) {
    CountFound(&simulation, kernels, 1.05, runs, pairs, false);
    CountFound(&simulation, kernels, 1.10, runs, pairs, runs == 10);
  }
  std::printf(" ]\n");
  return 0;
}
