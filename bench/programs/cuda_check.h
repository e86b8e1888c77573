// SPDX-License-Identifier: Apache-2.0
//
// A benchmark that cannot run ends with the reason: by CUDA_CHECK, or at once without a device.
#ifndef PROF_BENCH_PROGRAMS_CUDA_CHECK_H_
#define PROF_BENCH_PROGRAMS_CUDA_CHECK_H_

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CUDA_CHECK(call)                                                  \
  do {                                                                    \
    const cudaError_t error = (call);                                     \
    if (error != cudaSuccess) {                                           \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)); \
      std::exit(1);                                                       \
    }                                                                     \
  } while (false)

// False without a device, after a line that the scripts know.
inline bool HasDevice() {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error != cudaSuccess)
    std::printf("[skipped] no CUDA device: %s\n", cudaGetErrorString(error));
  return error == cudaSuccess;
}

#endif  // PROF_BENCH_PROGRAMS_CUDA_CHECK_H_
