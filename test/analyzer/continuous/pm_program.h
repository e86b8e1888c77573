// SPDX-License-Identifier: Apache-2.0
//
// Random programs and their triage samples: kernels of 2 us to 5 ms with ramps and tails, some that
// do little in their last part, in loops, in random order and in phases, sampled in bursts.
// What is true of each kernel is known.
#ifndef PROF_TEST_ANALYZER_CONTINUOUS_PM_PROGRAM_H_
#define PROF_TEST_ANALYZER_CONTINUOUS_PM_PROGRAM_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "lib/snapshot/model/model.h"

namespace prof::test {

struct ProgramKernel {
  std::string name;
  int64_t duration_ns = 0;
  std::vector<double> rates;         // by metric: percent, the mean over a launch
  int64_t ramp_ns = 0, tail_ns = 0;  // in which it does nothing at the start, at the end
  double front = 0;                  // by how much the first half of the rest is above the second
  double falls_at = 1, left = 1;     // from this part of the rest on, it does so much of before
  double varies = 0;                 // standard deviation of a launch's rates, as a part of them
};

struct ProgramOptions {
  int64_t interval_ns = 5'000, burst_ns = 5'000'000, period_ns = 50'000'000;
  int64_t length_ns = 1'000'000'000;
  bool sparse = false;
  double gap_ns = 0;  // between the kernels, on average
  double clock_offset_ns = -1000;
  double noise = 0.3, relative_noise = 0.02;  // of a sample: points, and as a part of its value
  enum class Order { kLoop, kRandom, kPhases } order = Order::kLoop;
  double beside = 0;  // share of launches that a kernel on another stream overlaps
};

// One program of a device, drawn from `seed`.
class PmProgram {
 public:
  // kSparse: the GPU waits for the host, most of the time.
  enum class Density { kDense, kSparse };
  explicit PmProgram(uint32_t seed, Density density = Density::kDense)
      : PmProgram(seed, 0, 0, density) {}
  // With so many kernels, and about so many samples.
  PmProgram(uint32_t seed, size_t kernels, int64_t samples, Density density = Density::kDense);

  const ProgramOptions& options() const { return options_; }
  const std::vector<ProgramKernel>& kernels() const { return kernels_; }
  // With the operations in order, and a series of PM samples of all triage metrics.
  model::Model& model() { return model_; }
  // The mean over all launches of a kernel, which the launches' differences are part of.
  double Truth(size_t kernel, size_t metric) const;

 private:
  double Uniform(double low, double high);
  double Normal(double deviation);
  void DrawKernels(size_t count, int64_t samples);
  void MakeSparse();
  void Launch(size_t kernel, uint32_t stream, int64_t* time_ns);
  void Run();
  void Sample();

  struct Launched {
    size_t kernel;
    int64_t start_ns, end_ns;
    double factor;
  };
  std::mt19937 random_;
  ProgramOptions options_;
  std::vector<ProgramKernel> kernels_;
  std::vector<Launched> launches_;
  std::vector<double> factors_, counts_;  // by kernel: sums over launches, weighted by time
  model::Model model_;
};

}  // namespace prof::test

#endif  // PROF_TEST_ANALYZER_CONTINUOUS_PM_PROGRAM_H_
