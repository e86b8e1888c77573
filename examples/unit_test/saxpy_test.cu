// SPDX-License-Identifier: Apache-2.0
//
// A unit test that a kernel is as fast as the hardware allows: prof::Capture runs it until its
// counters are sampled, the matchers judge. A failing line prints what was measured and why.
//
// Build:  cmake -B build && cmake --build build --target saxpy_test
// See:    "All tests passed", or "[skipped]" with the reason where counters cannot be read.
#if !__has_include(<catch2/catch_all.hpp>)
#define CATCH_CONFIG_MAIN  // Catch2 3 brings its own main()
#endif
#include <cuda_runtime.h>

#include "prof/capture.h"
#include "prof/catch.h"

namespace {

constexpr int kElements = 1 << 26;

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void saxpy_strided(int n, int stride, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = static_cast<int>(static_cast<long long>(i) * stride % n);
  if (i < n / stride) y[j] = a * x[j] + y[j];
}

struct Vectors {
  float *x = nullptr, *y = nullptr;
  Vectors() {
    const bool allocated = cudaMalloc(&x, kElements * sizeof(float)) == cudaSuccess &&
                           cudaMalloc(&y, kElements * sizeof(float)) == cudaSuccess;
    if (!allocated) return;  // no GPU: Capture's report says so, and the test is skipped
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
  const prof::Report report =
      prof::Capture([&] { saxpy<<<kElements / 256, 256>>>(kElements, 2.0f, v.x, v.y); });
  PROF_SKIP_UNLESS_MEASURED(report);

  const prof::KernelReport& kernel = report.kernel("saxpy");
  REQUIRE_THAT(kernel, prof::ReachesDram(0.80) && prof::IsBoundBy(prof::Limiter::kDram));
  CHECK_THAT(kernel, prof::OccupancyAtLeast(0.5));
  CHECK_THAT(kernel, prof::DoesNotSpill());
}

TEST_CASE("A strided saxpy does not keep the FMA pipe busy") {
  const Vectors v;
  const prof::Report report = prof::Capture(
      [&] { saxpy_strided<<<kElements / 256, 256>>>(kElements, 32, 2.0f, v.x, v.y); });
  PROF_SKIP_UNLESS_MEASURED(report);

  CHECK_THAT(report.kernel("saxpy_strided"), !prof::ReachesFma(0.30));
}
