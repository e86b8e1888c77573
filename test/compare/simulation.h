// SPDX-License-Identifier: Apache-2.0
//
// Runs are drawn from real launches, to count false alarms and missed slow-downs. The launches of a
// run are a stretch of a recorded kernel's, in their order, so they have its modes, its outliers
// and its drift. What processes differ by is drawn around that: a factor for each kernel and run.
#ifndef PROF_TEST_COMPARE_SIMULATION_H_
#define PROF_TEST_COMPARE_SIMULATION_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "prof/compare.h"
#include "prof/report.h"

namespace prof::test {

// The durations of one kernel in the order of its launches.
struct RecordedKernel {
  std::string name;
  std::vector<double> times_ns;
};

// The kernels of a recording with `least` launches or more; empty where it cannot be read.
[[nodiscard]] std::vector<RecordedKernel> LaunchesIn(const std::string& recording, size_t least);

// Standard deviations of the logarithm of a kernel's median between processes, measured:
// simulation.cc has where.
[[nodiscard]] const std::vector<double>& ProcessNoise();

struct Planted {
  size_t kernel = 0;
  double slow_down = 1;  // 1.05 is 5 %
};

struct Outcome {
  Comparison comparison;
  double noise = 0;  // of the kernel with the slow-down, as drawn
};

class Simulation {
 public:
  // Each run has `launches` launches of each kernel. The seed decides all that is drawn.
  Simulation(std::vector<RecordedKernel> kernels, int64_t launches, uint64_t seed);

  // Draws the noise of each kernel, then `runs` of each side, and compares them.
  [[nodiscard]] Outcome Draw(int runs, const Planted& planted, const CompareOptions& options);
  [[nodiscard]] size_t AnyKernel();

 private:
  Report DrawRun(const std::vector<double>& noise, const Planted& planted);

  std::vector<RecordedKernel> kernels_;
  int64_t launches_;
  std::mt19937_64 random_;
  uint32_t next_pid_ = 1;
};

// Whether anything that was tested is slower or faster.
[[nodiscard]] bool IsAlarm(const Comparison& comparison);
// Whether that kernel is slower.
[[nodiscard]] bool IsFound(const Comparison& comparison, const std::string& kernel);

}  // namespace prof::test

#endif  // PROF_TEST_COMPARE_SIMULATION_H_
