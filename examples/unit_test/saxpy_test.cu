// SPDX-License-Identifier: Apache-2.0
//
// The test requires that a kernel is as fast as the hardware allows. prof::Capture runs the kernel
// until its counters are sampled; matchers compare. A failing line prints the measured values.
//
// Build:  cmake -B build && cmake --build build --target saxpy_test
// See:    "All tests passed", or "[skipped]" with the reason where counters cannot be read.
#if !__has_include(<catch2/catch_all.hpp>)
#define CATCH_CONFIG_MAIN  // Catch2 3 brings its own main()
#endif
#include <cuda_runtime.h>

#include <chrono>

#include "prof/capture.h"
#include "prof/catch.h"

namespace {

constexpr int kElements = 1 << 26;

// 16 bytes per access. With 4 an H200 reaches two thirds of its bandwidth.
__global__ void saxpy(int n, float a, const float4* x, float4* y) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    const float4 left = x[i], right = y[i];
    y[i] = {a * left.x + right.x, a * left.y + right.y, a * left.z + right.z, a * left.w + right.w};
  }
}

// Eight independent chains of multiply-adds per thread.
__global__ void fma_chains(int rounds, float factor, float* sink) {
  float chain[8];
  for (int k = 0; k < 8; ++k) chain[k] = static_cast<float>(threadIdx.x + k);
#pragma unroll 4
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int k = 0; k < 8; ++k) chain[k] = fmaf(chain[k], factor, 1.0f);
  }
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += chain[k];
  if (sum == -1.0f) *sink = sum;
}

struct Vectors {
  float *x = nullptr, *y = nullptr;
  Vectors() {
    const bool allocated = cudaMalloc(&x, kElements * sizeof(float)) == cudaSuccess &&
                           cudaMalloc(&y, kElements * sizeof(float)) == cudaSuccess;
    if (!allocated) return;  // no GPU: the test is skipped
    cudaMemset(x, 0, kElements * sizeof(float));
    cudaMemset(y, 0, kElements * sizeof(float));
  }
  ~Vectors() {
    cudaFree(x);
    cudaFree(y);
  }
};

}  // namespace

TEST_CASE("Saxpy runs at the speed of DRAM") {
  const Vectors v;
  const prof::Report report = prof::Capture([&] {
    saxpy<<<132 * 16, 256>>>(kElements / 4, 2.0f, reinterpret_cast<const float4*>(v.x),
                             reinterpret_cast<float4*>(v.y));
  });
  PROF_SKIP_UNLESS_MEASURED(report);

  const prof::KernelReport& kernel = report.kernel("saxpy");
  REQUIRE_THAT(kernel, prof::ReachesDram(0.75) && prof::IsBoundBy(prof::Limiter::kDram));
  CHECK_THAT(kernel, prof::OccupancyAtLeast(0.5));
  CHECK_THAT(kernel, prof::TakesAtMost(std::chrono::milliseconds(1)));
  CHECK_THAT(kernel, prof::DoesNotSpill());
}

TEST_CASE("Chains of multiply-adds keep the FMA pipe busy and leave DRAM alone") {
  const Vectors v;
  const prof::Report report =
      prof::Capture([&] { fma_chains<<<132 * 16, 256>>>(4000, 0.999f, v.y); });
  PROF_SKIP_UNLESS_MEASURED(report);

  const prof::KernelReport& kernel = report.kernel("fma_chains");
  REQUIRE_THAT(kernel, prof::ReachesFma(0.80) && prof::IsBoundBy(prof::Limiter::kFma));
  CHECK_THAT(kernel, !prof::ReachesDram(0.10));
}
