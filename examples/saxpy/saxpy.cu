// SPDX-License-Identifier: Apache-2.0
//
// The smallest use of prof: record a loop, print what limits the kernel in it.
//
// Build:  cmake -B build && cmake --build build --target saxpy
// See:    one range "saxpy", and the kernel's share of the DRAM bandwidth. An H200 reaches two
//         thirds with these 4-byte accesses; unit_test/saxpy_test.cu uses 16 bytes.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "prof/analyzer.h"
#include "prof/range.h"
#include "prof/session.h"

#define CUDA_CHECK(call)                                                 \
  do {                                                                   \
    const cudaError_t error = (call);                                    \
    if (error != cudaSuccess) {                                          \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cudaGetErrorString(error));                           \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main() {
  int devices = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&devices); error != cudaSuccess) {
    std::printf("[skipped] no CUDA device: %s\n", cudaGetErrorString(error));
    return 0;
  }

  constexpr int kElements = 1 << 26;  // 256 MiB each: far more than the L2 cache
  float *x = nullptr, *y = nullptr;
  CUDA_CHECK(cudaMalloc(&x, kElements * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&y, kElements * sizeof(float)));
  const std::vector<float> ones(kElements, 1.0f);
  CUDA_CHECK(cudaMemcpy(x, ones.data(), kElements * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(y, ones.data(), kElements * sizeof(float), cudaMemcpyHostToDevice));

  // A real program just runs. This one goes on until every counter has its samples.
  constexpr int kMinSteps = 200, kMaxSteps = 40000;
  prof::Session session;
  int steps = 0;
  while (steps < kMinSteps || (steps < kMaxSteps && session.counters_pending())) {
    PROF_RANGE("saxpy");
    saxpy<<<kElements / 256, 256>>>(kElements, 2.0f, x, y);
    CUDA_CHECK(cudaGetLastError());
    if (++steps % 100 == 0) CUDA_CHECK(cudaDeviceSynchronize());
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  std::cout << prof::Analyze(session.Stop());

  float first = 0;
  CUDA_CHECK(cudaMemcpy(&first, y, sizeof(first), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(x));
  CUDA_CHECK(cudaFree(y));
  const float expected = 1.0f + 2.0f * static_cast<float>(steps);
  return first == expected ? 0 : 1;  // the kernels ran as often as without prof
}
