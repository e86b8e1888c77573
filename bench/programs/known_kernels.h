// SPDX-License-Identifier: Apache-2.0
//
// These kernels have one known bottleneck each, and known counts: what the hardware must count for
// one launch.
#ifndef PROF_BENCH_PROGRAMS_KNOWN_KERNELS_H_
#define PROF_BENCH_PROGRAMS_KNOWN_KERNELS_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

struct KnownKernel {
  std::string name;              // of the kernel, or of the NVTX range around a library's kernels
  std::string bottleneck;        // in words
  std::function<void()> launch;  // asynchronous; allocates at the first call
  // {metric, count of one launch}: arithmetic on the arguments, nothing is measured.
  std::vector<std::pair<const char*, double>> expected;
};

std::vector<KnownKernel> MemoryKernels();
std::vector<KnownKernel> ComputeKernels();
std::vector<KnownKernel> MatrixKernels();

#endif  // PROF_BENCH_PROGRAMS_KNOWN_KERNELS_H_
