// SPDX-License-Identifier: Apache-2.0
//
// Kernels with one known bottleneck each, and what the hardware must count for one launch of them.
#ifndef PROF_BENCH_PROGRAMS_KNOWN_KERNELS_H_
#define PROF_BENCH_PROGRAMS_KNOWN_KERNELS_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

struct KnownKernel {
  std::string name;              // of the kernel; of the NVTX range around a library's kernels
  std::string bottleneck;        // in words
  std::function<void()> launch;  // asynchronous; allocates at the first call
  // What one launch counts, by metric: arithmetic on its arguments, nothing measured.
  std::vector<std::pair<const char*, double>> expected;
};

std::vector<KnownKernel> MemoryKernels();
std::vector<KnownKernel> ComputeKernels();
std::vector<KnownKernel> MatrixKernels();

#endif  // PROF_BENCH_PROGRAMS_KNOWN_KERNELS_H_
