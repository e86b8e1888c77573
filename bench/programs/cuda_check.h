// SPDX-License-Identifier: Apache-2.0
//
// CUDA_CHECK ends a benchmark that cannot run, with the reason.
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

#endif  // PROF_BENCH_PROGRAMS_CUDA_CHECK_H_
