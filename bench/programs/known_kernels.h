// SPDX-License-Identifier: Apache-2.0
//
// These kernels have one known bottleneck each, and known counts: what the hardware must count for
// one launch.
#ifndef PROF_BENCH_PROGRAMS_KNOWN_KERNELS_H_
#define PROF_BENCH_PROGRAMS_KNOWN_KERNELS_H_

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

struct KnownKernel {
  std::string name;              // of the kernel, or of the NVTX range around a library's kernels
  std::string bottleneck;        // in words
  std::function<void()> launch;  // asynchronous; allocates at the first call
  // {metric, count of one launch}: arithmetic on the arguments, nothing is measured.
  std::vector<std::pair<const char*, double>> expected;
  // The limiters that a right verdict may name, as prof writes them ("dram").
  std::vector<std::string> limiters;
};

// A Variation draws the sizes and rounds of the kernels, so that no run is like the one before it.
// Without a seed they are as written.
class Variation {
 public:
  Variation() = default;
  explicit Variation(uint64_t seed) : is_drawn_(true), random_(seed) {}

  // `written`, or a multiple of `step` between half of it and all of it. `step` divides `written`.
  int Draw(int written, int step = 1);

 private:
  bool is_drawn_ = false;
  std::mt19937_64 random_;
};

std::vector<KnownKernel> MemoryKernels(Variation& vary);
std::vector<KnownKernel> ComputeKernels(Variation& vary);
std::vector<KnownKernel> MatrixKernels(Variation& vary);
std::vector<KnownKernel> AllKernels(Variation& vary);

#endif  // PROF_BENCH_PROGRAMS_KNOWN_KERNELS_H_
